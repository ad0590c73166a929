/** One model of a group: place in the order, hours, live verdict, and its two switches. */
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Group } from '../../src/contract/group.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import type { CandidateVerdict } from '../../src/contract/status.ts'
import { useShared } from '../model/context.ts'
import { inOrder, moved, withEntry, withoutRoute } from '../model/groups.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import type { Roving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { Input } from '../ui/Input.tsx'
import { Switch } from '../ui/Switch.tsx'
import { effortWord, keyOf, routeName, sameRoute } from '../words.ts'
import { hoursText, priorityOf } from './hours.ts'
import { VerdictChip } from './VerdictChip.tsx'

export interface EntryRowProps {
  readonly group: Group
  readonly entry: Entry
  readonly verdict: CandidateVerdict | null
  /** Dragging makes sense only while the whole group is shown by priority. */
  readonly movable: boolean
  readonly roving: Roving
  readonly onEdit: () => void
}

const DRAG_TYPE = 'application/x-mf-entry'

/** Below the middle of the row: dropped behind it. */
function isBehind(event: DragEvent): boolean {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
  return event.clientY > box.top + box.height / 2
}

export function EntryRow({ group, entry, verdict, movable, roving, onEdit }: EntryRowProps): VNode {
  const { app, groups, routes } = useShared()
  const over = useSignal('')
  const key = keyOf(entry)
  const { provider, model } = routeName(app.models.data.value, entry)
  const tabIndex = roving.tab(key)
  const failed = app.failed.value.some((mark) => sameRoute(mark, entry))
  const facts = [hoursText(entry.windows), entry.until && t('entry.untilChip', { date: entry.until }), entry.effort && effortWord(entry.effort), entry.ask && t('entry.ask')].filter(Boolean)
  const place = (route: Route, target: Route, behind: boolean): void => void groups.edit(group.id, (models) => moved(models, route, target, behind))
  const commit = (text: string): string | null => {
    const priority = priorityOf(text)
    if (priority === null) return t('entry.priorityWrong')
    void groups.edit(group.id, (models) => withEntry(models, entry, { priority }))
    return null
  }
  const step = (event: KeyboardEvent): void => {
    const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    void groups.edit(group.id, (models) => {
      const order = inOrder(models)
      const target = order[order.findIndex((other) => sameRoute(other, entry)) + by]
      return target ? moved(models, entry, target, by > 0) : models
    })
  }
  const onDragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes(DRAG_TYPE)) return
    event.preventDefault()
    over.value = isBehind(event) ? ' mf-behind' : ' mf-before'
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    over.value = ''
    place(JSON.parse(event.dataTransfer?.getData(DRAG_TYPE) ?? '{}') as Route, entry, isBehind(event))
  }
  return (
    <li class={`mf-row${over.value}`} {...roving.row(key)} onDragOver={onDragOver} onDragLeave={() => { over.value = '' }} onDrop={onDrop}>
      <button type="button" class="mf-grip" draggable={movable} disabled={!movable} tabIndex={tabIndex} aria-label={t('entry.move', { model })} data-mf-tip={t('entry.moveTip')} onKeyDown={step} onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, JSON.stringify(entry))}><Icon name="grip" /></button>
      <Input width={48} label={t('entry.priorityOf', { model })} tip={t('entry.priorityTip')} value={`${entry.priority}`} onCommit={commit} tabIndex={tabIndex} />
      <button type="button" class="mf-pick" tabIndex={tabIndex} onClick={onEdit} data-mf-tip={t('entry.edit')}>
        <b>{model}</b>
        <small>{provider} {facts.map((fact) => <em key={fact}>{fact}</em>)}</small>
      </button>
      <VerdictChip verdict={verdict} tabIndex={tabIndex} />
      <div class="mf-two">
        <Switch danger on={failed} label={t('entry.failedOf', { model })} text={t('entry.failed')} tip={t('entry.failedTip')} tabIndex={tabIndex} onChange={(on) => void (on ? routes.fail(entry) : routes.restore([entry]))} />
        <Switch danger on={entry.disabled === true} label={t('entry.disabledOf', { model })} text={t('entry.disabled')} tip={t('entry.disabledTip')} tabIndex={tabIndex} onChange={(on) => void routes.disable(entry, on)} />
      </div>
      <Button kind="icon" icon="close" label={t('entry.remove', { model })} tabIndex={tabIndex} onClick={() => void groups.edit(group.id, (models) => withoutRoute(models, entry))} />
    </li>
  )
}
