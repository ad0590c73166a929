/** The compact form of the seat: a small menu with panes for model, effort and group. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/Icon.tsx'
import { effortWord, routeName } from '../words.ts'
import { EffortPane } from './EffortPane.tsx'
import { GroupPick } from './GroupPick.tsx'
import { ModelList } from './ModelList.tsx'
import { Offers } from './Offers.tsx'

type Pane = 'root' | 'model' | 'effort' | 'group'

export interface DropdownProps {
  readonly session: SessionModel
  /** The seat: what happens outside of it closes the menu. */
  readonly box: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly onDialog: () => void
  readonly onWhy: () => void
}

/** Closes when the pointer goes down or the focus goes to somewhere else. */
function useOutside(box: RefObject<HTMLElement | null>, close: () => void): void {
  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && event.target.isConnected && box.current?.contains(event.target) === false) close()
    }
    document.addEventListener('pointerdown', outside, true)
    document.addEventListener('focusin', outside, true)
    return () => {
      document.removeEventListener('pointerdown', outside, true)
      document.removeEventListener('focusin', outside, true)
    }
  })
}

export function Dropdown({ session, box, onClose, onDialog, onWhy }: DropdownProps): VNode {
  const { app } = useShared()
  const [pane, setPane] = useState<Pane>('root')
  const menu = useRef<HTMLDivElement>(null)
  useOutside(box, onClose)
  useLayoutEffect(() => {
    const wanted = menu.current?.querySelector<HTMLElement>('[data-mf-first]') ?? menu.current?.querySelector<HTMLElement>('button')
    wanted?.focus()
  }, [pane])
  const route = session.route.value
  const efforts = route === null ? [] : app.known(route)?.model.efforts ?? []
  const group = session.info.data.value?.group?.name ?? t('bind.none')
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault()
      event.stopPropagation()
      if (pane === 'root') onClose()
      else setPane('root')
    }
    if (pane !== 'root' || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    const cells = [...menu.current?.querySelectorAll<HTMLElement>('.mf-cell') ?? []]
    const at = cells.findIndex((cell) => cell === document.activeElement)
    event.preventDefault()
    cells[(at + (event.key === 'ArrowDown' ? 1 : cells.length - 1)) % cells.length]?.focus()
  }
  const cell = (name: Pane, label: string, value: string): VNode => (
    <button type="button" class="mf-cell" onClick={() => setPane(name)}>
      <span>{label}</span><span class="mf-cell-value">{value}</span><Icon name="right" size={14} />
    </button>
  )
  return (
    <div ref={menu} class="mf-menu" role="dialog" aria-label={t('seat.menu')} onKeyDown={onKeyDown}>
      {pane !== 'root' && <button type="button" class="mf-cell mf-back" onClick={() => setPane('root')}><Icon name="left" size={14} />{t(`seat.${pane}`)}</button>}
      {pane === 'root' && (
        <>
          {cell('model', t('seat.model'), route === null ? t('seat.choose') : routeName(app.models.data.value, route).model)}
          {efforts.length > 0 && cell('effort', t('effort'), route?.effort ? effortWord(route.effort) : t('effort.default'))}
          {cell('group', t('seat.group'), group)}
          <button type="button" class="mf-cell" onClick={onWhy}><span>{t('why.title')}</span></button>
          <button type="button" class="mf-cell" onClick={onDialog}><span>{t('seat.dialog')}</span></button>
          <Offers session={session} />
        </>
      )}
      {pane === 'model' && <ModelList session={session} onDone={onClose} />}
      {pane === 'effort' && <EffortPane session={session} efforts={efforts} onDone={onClose} />}
      {pane === 'group' && <GroupPick session={session} />}
    </div>
  )
}
