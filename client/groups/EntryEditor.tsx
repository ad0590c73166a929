/** Hours, last day, effort and the purse guard of one entry. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Group } from '../../src/contract/group.ts'
import type { Entry, Window } from '../../src/contract/route.ts'
import { useShared } from '../model/context.ts'
import { withEntry } from '../model/groups.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Select } from '../ui/Select.tsx'
import { Switch } from '../ui/Switch.tsx'
import { effortWord, routeText } from '../words.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), text: String(hour) }))

export interface EntryEditorProps { readonly group: Group; readonly entry: Entry; readonly onClose: () => void }

export function EntryEditor({ group, entry, onClose }: EntryEditorProps): VNode {
  const { app, groups } = useShared()
  const [windows, setWindows] = useState<readonly Window[]>(entry.windows ?? [])
  const [until, setUntil] = useState(entry.until ?? '')
  const [effort, setEffort] = useState(entry.effort ?? '')
  const [ask, setAsk] = useState(entry.ask === true)
  const efforts = app.known(entry)?.model.efforts ?? []
  const options = [...efforts, ...(effort !== '' && !efforts.includes(effort) ? [effort] : [])]
  const save = async (): Promise<void> => {
    const change = { windows: windows.length > 0 ? windows : undefined, until: until || undefined, effort: effort || undefined, ask: ask || undefined }
    if (await groups.edit(group.id, (models) => withEntry(models, entry, change))) onClose()
  }
  const put = (index: number, change: Partial<Window>): void => setWindows(windows.map((window, at) => (at === index ? { ...window, ...change } : window)))
  return (
    <Modal title={routeText(app.models.data.value, { provider: entry.provider, model: entry.model })} onClose={onClose}>
      <div class="mf-modal-body mf-form">
        <fieldset class="mf-field">
          <legend class="mf-label">{t('entry.windows')}</legend>
          {windows.length === 0 && <p class="mf-muted">{t('entry.allDay')}</p>}
          {windows.map((window, index) => (
            <div key={`${index}-${windows.length}`} class="mf-bar">
              <Select small label={t('entry.from')} value={String(window.from)} options={HOURS} onChange={(value) => put(index, { from: Number(value) })} />
              <span>–</span>
              <Select small label={t('entry.to')} value={String(window.to)} options={HOURS} onChange={(value) => put(index, { to: Number(value) })} />
              <span class="mf-muted">{t(window.from > window.to ? 'entry.overnight' : 'entry.sameDay', { from: `${window.from}:00`, to: `${window.to}:59` })}</span>
              <Button kind="icon" icon="close" label={t('entry.windowRemove')} onClick={() => setWindows(windows.filter((_, at) => at !== index))} />
            </div>
          ))}
          <Button icon="plus" disabled={windows.length >= 48} onClick={() => setWindows([...windows, { from: 9, to: 18 }])}>{t('entry.windowAdd')}</Button>
        </fieldset>
        <label class="mf-field">
          <span class="mf-label">{t('entry.until')}</span>
          <input class="mf-input mf-input-date" type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
          <span class="mf-muted">{t('entry.untilTip')}</span>
        </label>
        {options.length > 0 && (
          <div class="mf-field">
            <span class="mf-label">{t('effort')}</span>
            <Select label={t('effort')} value={effort} options={[{ value: '', text: t('effort.default') }, ...options.map((value) => ({ value, text: effortWord(value) }))]} onChange={setEffort} />
          </div>
        )}
        <div class="mf-field">
          <Switch shown on={ask} label={t('entry.askLong')} onChange={setAsk} />
          <span class="mf-muted">{t('entry.askTip')}</span>
        </div>
      </div>
      <footer class="mf-modal-foot">
        <Button kind="plain" onClick={onClose}>{t('cancel')}</Button>
        <Button kind="main" onClick={() => void save()}>{t('save')}</Button>
      </footer>
    </Modal>
  )
}
