/** A row of tabs; arrow keys move among them. */
import type { VNode } from 'preact'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'

export interface TabsProps<K extends string> {
  /** The text of a tab is `tab.<id>`. */
  readonly items: readonly K[]
  readonly active: K
  readonly label: string
  /** Prefix of the ids of tabs (`…-tab-id`) and of the panel (`…-panel`). */
  readonly name: string
  /** Numbers behind a tab's text. */
  readonly counts: { readonly [id in K]?: number }
  readonly onChange: (id: K) => void
}

export function Tabs<K extends string>({ items, active, label, name, counts, onChange }: TabsProps<K>): VNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = items.indexOf(active)
    const next = { ArrowRight: items[(at + 1) % items.length], ArrowLeft: items.at(at - 1), Home: items[0], End: items.at(-1) }[event.key]
    if (!next) return
    event.preventDefault()
    onChange(next)
    document.getElementById(`${name}-tab-${next}`)?.focus()
  }
  return (
    <div class="mf-tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {items.map((id) => (
        <button key={id} type="button" role="tab" id={`${name}-tab-${id}`} aria-selected={id === active} aria-controls={`${name}-panel`} tabIndex={id === active ? 0 : -1} onClick={() => onChange(id)}>
          {t(`tab.${id}` as TextKey)} {counts[id] ? <em>{counts[id]}</em> : ''}
        </button>
      ))}
    </div>
  )
}
