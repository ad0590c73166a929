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
  const entries = models === null ? [] : firstEntries(models, session?.route.value ?? null)
  const make = async (): Promise<void> => {
    setBusy(true)
    const group = await groups.create(t('first.name'), entries)
    if (group !== null) {
      if (session) await session.bind(group.id, 'failover', false)
      else await app.act(() => app.api.call('setDefaultGroup', { body: { groupId: group.id, mode: 'failover' } }))
      await app.status.refresh()
      onMade(group.id)
    }
    setBusy(false)
  }
  return (
    <div class="mf-empty">
      <h3 class="mf-subtitle">{t('first.title')}</h3>
      <p>{t('first.failover')}</p>
      <p>{t('first.route')}</p>
      <Button kind="main" icon="route" disabled={busy || entries.length === 0} onClick={() => void make()}>{t('first.make', { n: entries.length })}</Button>
      {models !== null && entries.length === 0 && <p class="mf-muted">{t('first.noModels')}</p>}
    </div>
  )
}
