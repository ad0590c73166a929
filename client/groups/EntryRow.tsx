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
import { effortWord, keyOf, routeName } from '../words.ts'
import { VerdictChip } from './VerdictChip.tsx'

export interface EntryRowProps {
  readonly group: Group
  readonly entry: Entry
  readonly verdict: CandidateVerdict | null
  readonly failed: boolean
  /** Dragging makes sense only while the whole group is shown. */
  readonly movable: boolean
  readonly roving: Roving
  readonly onEdit: () => void
  /** Another entry was dropped here. */
  readonly onDrop: (route: Route, behind: boolean) => void
}

const DRAG_TYPE = 'application/x-mf-entry'

/** A priority as typed: a whole number 1–999, or null. */
export function priorityOf(text: string): number | null {
  const value = Number(text)
  return /^\d{1,3}$/.test(text) && value >= 1 ? value : null
}

function facts(entry: Entry): string[] {
  return [
    ...(entry.windows ?? []).map(({ from, to }) => `${from}–${to}`),
    ...(entry.until ? [t('entry.untilChip', { date: entry.until })] : []),
    ...(entry.effort ? [effortWord(entry.effort)] : []),
    ...(entry.ask ? [t('entry.ask')] : []),
  ]
}

export function EntryRow({ group, entry, verdict, failed, movable, roving, onEdit, onDrop }: EntryRowProps): VNode {
  const { app, groups, routes } = useShared()
  const over = useSignal<'before' | 'behind' | null>(null)
  const key = keyOf(entry)
  const name = routeName(app.models.data.value, entry)
  const tabIndex = roving.tab(key)
  const said = facts(entry)
  const commit = (text: string): string | null => {
    const priority = priorityOf(text)
    if (priority === null) return t('entry.priorityWrong')
    void groups.edit(group.id, (models) => withEntry(models, entry, { priority }))
    return null
  }
  const step = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    event.stopPropagation()
    const order = inOrder(group.models)
    const at = order.findIndex((other) => keyOf(other) === key)
    const target = order[event.key === 'ArrowUp' ? at - 1 : at + 1]
    if (target) void groups.edit(group.id, (models) => moved(models, entry, target, event.key === 'ArrowDown'))
  }
  const side = (event: DragEvent): 'before' | 'behind' => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return event.clientY > box.top + box.height / 2 ? 'behind' : 'before'
  }
  const onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes(DRAG_TYPE) !== true) return
    event.preventDefault()
    over.value = side(event)
  }
  const drop = (event: DragEvent): void => {
    const text = event.dataTransfer?.getData(DRAG_TYPE)
    if (!text) return
    event.preventDefault()
    onDrop(JSON.parse(text) as Route, side(event) === 'behind')
    over.value = null
  }
  return (
    <li class={`mf-row mf-entry${over.value ? ` mf-drop-${over.value}` : ''}${entry.disabled ? ' mf-off' : ''}`} {...roving.row(key)} onDragOver={onDragOver} onDragLeave={() => { over.value = null }} onDrop={drop}>
      <button type="button" class="mf-grip" draggable={movable} disabled={!movable} tabIndex={tabIndex} aria-label={t('entry.move', { model: name.model })} data-mf-tip={t('entry.moveTip')} onKeyDown={step} onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, JSON.stringify({ provider: entry.provider, model: entry.model }))}>
        <Icon name="grip" />
      </button>
      <Input kind="number" size="number" label={t('entry.priorityOf', { model: name.model })} tip={t('entry.priority')} value={String(entry.priority)} onCommit={commit} tabIndex={tabIndex} />
      <button type="button" class="mf-row-main" tabIndex={tabIndex} onClick={onEdit} aria-label={t('entry.edit', { model: name.model })}>
        <span class="mf-row-name">{name.model}</span>
        <span class="mf-row-sub">{name.provider}{said.map((fact) => <span key={fact} class="mf-fact">{fact}</span>)}</span>
      </button>
      <VerdictChip verdict={verdict} />
      <Switch tone="danger" on={failed} label={t('entry.failedOf', { model: name.model })} tip={t('entry.failedTip')} tabIndex={tabIndex} onChange={(on) => void (on ? routes.fail(entry) : routes.restore([entry]))} />
      <Switch tone="danger" on={entry.disabled === true} label={t('entry.disabledOf', { model: name.model })} tip={t('entry.disabledTip')} tabIndex={tabIndex} onChange={(on) => void routes.disable(entry, on)} />
      <Button kind="icon" icon="trash" label={t('entry.remove', { model: name.model })} tabIndex={tabIndex} onClick={() => void groups.edit(group.id, (models) => withoutRoute(models, entry))} />
    </li>
  )
}
