/** A box to narrow a list by. */
import type { VNode } from 'preact'
import { t } from '../text.ts'
import { Icon } from './Icon.tsx'

export function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }): VNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || value === '') return
    // The first Escape empties the box, the next one closes what it stands in.
    event.preventDefault()
    event.stopPropagation()
    onChange('')
  }
  return (
    <label class="mf-search">
      <Icon name="search" />
      <input autoFocus value={value} placeholder={t('act.search')} aria-label={t('act.search')} autoComplete="off" onInput={(event) => onChange(event.currentTarget.value)} onKeyDown={onKeyDown} />
    </label>
  )
}
