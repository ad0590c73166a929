/** A row of tabs; arrow keys move among them. */
import type { VNode } from 'preact'

export interface TabItem<K extends string> { readonly id: K; readonly text: string; readonly count?: number }

export interface TabsProps<K extends string> {
  readonly items: readonly TabItem<K>[]
  readonly active: K
  readonly label: string
  /** Prefix of the ids of tabs (`…-tab-id`) and panels (`…-panel-id`). */
  readonly name: string
  readonly onChange: (id: K) => void
}

export function Tabs<K extends string>({ items, active, label, name, onChange }: TabsProps<K>): VNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const at = items.findIndex(({ id }) => id === active)
    const next = event.key === 'Home' ? items[0] : event.key === 'End' ? items.at(-1) : step === undefined ? undefined : items[(at + step + items.length) % items.length]
    if (!next) return
    event.preventDefault()
    onChange(next.id)
    document.getElementById(`${name}-tab-${next.id}`)?.focus()
  }
  return (
    <div class="mf-tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {items.map(({ id, text, count }) => (
        <button key={id} type="button" role="tab" id={`${name}-tab-${id}`} class="mf-tab" aria-selected={id === active} aria-controls={id === active ? `${name}-panel-${id}` : undefined} tabIndex={id === active ? 0 : -1} onClick={() => onChange(id)}>
          {text}
          {count !== undefined && count > 0 && <span class="mf-count">{count}</span>}
        </button>
      ))}
    </div>
  )
}
