/** What stands where no group exists yet: two lines of explanation and one button. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { firstEntries } from './firstGroup.ts'

export interface FirstRunProps {
  readonly session: SessionModel | null
  readonly onMade: (id: string) => void
}

export function FirstRun({ session, onMade }: FirstRunProps): VNode {
  const { app, groups } = useShared()
  const [busy, setBusy] = useState(false)
  const models = app.models.data.value
  const entries = models ? firstEntries(models, session?.route.value ?? null) : []
  const make = async (): Promise<void> => {
    setBusy(true)
    const group = await groups.create(t('first.name'), entries)
    if (group) {
      await (session ? session.bind(group.id, 'failover', false) : app.setDefault(group.id, 'failover'))
      onMade(group.id)
    }
    setBusy(false)
  }
  return (
    <div class="mf-empty mf-pane">
      <h3>{t('first.title')}</h3>
      <p>{t('bind.failoverTip')}</p>
      <p>{t('bind.routeTip')}</p>
      <div><Button kind="main" disabled={busy || !entries.length} onClick={() => void make()}>{t('first.make', { n: entries.length })}</Button></div>
      {models && !entries.length && <p>{t('models.noneAtAll')}</p>}
    </div>
  )
}
