/** Hours, last day, effort and the purse guard of one entry; each is saved as it is changed. */
import type { VNode } from 'preact'
import type { Group } from '../../src/contract/group.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import { useShared } from '../model/context.ts'
import { withEntry } from '../model/groups.ts'
import { t } from '../text.ts'
import { Input } from '../ui/Input.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Select } from '../ui/Select.tsx'
import { Switch } from '../ui/Switch.tsx'
import { effortOptions, routeName, routeText, sameRoute } from '../words.ts'
import { hoursText, isDay, parseHours } from './hours.ts'

export interface EntryEditorProps { readonly group: Group; readonly route: Route; readonly onClose: () => void }

export function EntryEditor({ group, route, onClose }: EntryEditorProps): VNode | null {
  const { app, groups } = useShared()
  const entry = group.models.find((each) => sameRoute(each, route))
  if (!entry) return null
  const save = (change: { readonly [K in keyof Entry]?: Entry[K] | undefined }): null => {
    void groups.edit(group.id, (models) => withEntry(models, route, change))
    return null
  }
  const { efforts } = routeName(app.models.data.value, route)
  const saveHours = (text: string): string | null => {
    const windows = parseHours(text)
    return windows === null ? t('entry.hoursWrong') : save({ windows: windows.length ? windows : undefined })
  }
  return (
    <Modal title={routeText(app.models.data.value, { provider: route.provider, model: route.model })} onClose={onClose}>
      <div class="mf-scroll mf-pane">
        <label>{t('entry.hours')}<Input label={t('entry.hours')} value={hoursText(entry.windows)} placeholder="22–6, 12–14" onCommit={saveHours} /><span class="mf-muted">{t('entry.hoursTip')}</span></label>
        <label>{t('entry.until')}<Input label={t('entry.until')} value={entry.until ?? ''} placeholder="YYYY-MM-DD" onCommit={(text) => (text && !isDay(text) ? t('date.wrong') : save({ until: text || undefined }))} /><span class="mf-muted">{t('entry.untilTip')}</span></label>
        {efforts.length > 0 && <label>{t('effort.title')}<Select label={t('effort.title')} value={entry.effort ?? ''} options={effortOptions(efforts)} onChange={(effort) => save({ effort: effort || undefined })} /></label>}
        <div>
          <Switch on={entry.ask === true} label={t('entry.askLong')} onChange={(ask) => save({ ask: ask || undefined })} />
          <p class="mf-muted">{t('entry.askTip')}</p>
        </div>
      </div>
    </Modal>
  )
}
