/** A box to narrow a list by. */
import type { VNode } from 'preact'
import { t } from '../text.ts'
import { Icon } from './Icon.tsx'

export function SearchBox({ value, onChange, first }: { readonly value: string; readonly onChange: (text: string) => void; readonly first?: boolean }): VNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || value === '') return
    // The first Escape empties the box, the next one closes what it stands in.
    event.stopPropagation()
    event.preventDefault()
    onChange('')
  }
  return (
    <label class="mf-search">
      <Icon name="search" />
      <input type="text" data-mf-first={first === true ? '' : undefined} value={value} placeholder={t('search')} aria-label={t('search')} autoComplete="off" onInput={(event) => onChange(event.currentTarget.value)} onKeyDown={onKeyDown} />
    </label>
  )
}
