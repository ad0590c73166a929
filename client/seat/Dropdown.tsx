/** The compact form of the seat: a small menu with the models, the effort and the group. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { OptionList } from '../ui/OptionList.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { Segments } from '../ui/Segments.tsx'
import { effortOptions, routeName, sameRoute } from '../words.ts'
import { boundText } from './Badge.tsx'
import { Offers } from './Offers.tsx'
import type { Open } from './Seat.tsx'
import { matching } from './search.ts'

export interface DropdownProps {
  readonly session: SessionModel
  /** The seat: what happens outside of it closes the menu. */
  readonly box: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly onOpen: (what: Open) => void
}

export function Dropdown({ session, box, onClose, onOpen }: DropdownProps): VNode {
  const { app } = useShared()
  const [query, setQuery] = useState('')
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input')?.focus(), [box])
  useEffect(() => {
    const outside = ({ target }: Event): void => {
      if (target instanceof Node && target.isConnected && !box.current?.contains(target)) onOpen(null)
    }
    document.addEventListener('pointerdown', outside, true)
    document.addEventListener('focusin', outside, true)
    return () => {
      document.removeEventListener('pointerdown', outside, true)
      document.removeEventListener('focusin', outside, true)
    }
  }, [box, onOpen])
  const current = session.route.value
  const efforts = current ? routeName(app.models.data.value, current).efforts : []
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.stopPropagation()
    onClose()
  }
  return (
    <div class="mf-menu" role="dialog" tabIndex={-1} aria-label={t('seat.choose')} onKeyDown={onKeyDown}>
      <SearchBox value={query} onChange={setQuery} />
      <div class="mf-list">
        <Loaded of={app.models}>
          {(models) => <OptionList found={matching(models, query, null)} chosen={(route) => sameRoute(route, current)} disabled={session.busy.value} onPress={(route) => void (async () => (await session.select(route)) && onClose())()} />}
        </Loaded>
      </div>
      <Offers session={session} />
      {current && efforts.length > 0 && (
        <div class="mf-bar"><span class="mf-muted">{t('effort.title')}</span><Segments label={t('effort.title')} value={current.effort ?? ''} options={effortOptions(efforts)} onChange={(effort) => void session.select({ provider: current.provider, model: current.model, ...(effort ? { effort } : {}) })} /></div>
      )}
      <p class="mf-muted">{boundText(session)}</p>
      <div class="mf-bar">
        <Button onClick={() => onOpen('why')}>{t('why.title')}</Button>
        <Button onClick={() => onOpen('dialog')}>{t('seat.dialog')}</Button>
      </div>
    </div>
  )
}
