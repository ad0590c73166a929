/** The composer's model seat: what the session runs on, how well that is, and the ways to change it. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useShared, useWatch } from '../model/context.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/Icon.tsx'
import { routeParts } from '../words.ts'
import { Badge } from './Badge.tsx'
import { Dialog } from './Dialog.tsx'
import { Dropdown } from './Dropdown.tsx'
import { Why } from './Why.tsx'

export interface SeatProps { readonly locked: boolean; readonly sessionId: string }

export type Open = 'menu' | 'dialog' | 'why' | null

export function Seat({ props }: { readonly props: ReadonlySignal<SeatProps> }): VNode {
  const { locked, sessionId } = props.value
  const { app, session: find } = useShared()
  const session = useMemo(() => find(sessionId), [find, sessionId])
  const [open, setOpen] = useState<Open>(null)
  const box = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  useWatch(session.watch)
  useEffect(() => void app.models.refresh(), [app, open])
  useEffect(() => setOpen(null), [locked, session])
  const parts = session.route.value ? routeParts(app.models.data.value, session.route.value) : [t('seat.choose')]
  const text = parts.join(' · ')
  const close = (): void => {
    setOpen(null)
    trigger.current?.focus()
  }
  return (
    <div ref={box} class="mf mf-bar mf-seat">
      <Badge session={session} disabled={locked} onOpen={() => setOpen('why')} />
      <button ref={trigger} type="button" class="mf-trigger" disabled={locked} aria-haspopup="dialog" aria-expanded={open === 'menu' || open === 'dialog'} aria-label={t('seat.label', { model: text })} data-mf-tip={open ? undefined : text} onClick={() => setOpen(open ? null : app.settings.value?.dialogMode ? 'dialog' : 'menu')}>
        {parts.map((part, index) => <span key={index}>{index > 1 && ' · '}{part}{!index && parts[1] && ' · '}</span>)}
        <Icon name="down" up={open === 'menu'} size={14} />
      </button>
      {open === 'menu' && <Dropdown session={session} box={box} onClose={close} onOpen={setOpen} />}
      {open === 'dialog' && <Dialog session={session} onClose={close} />}
      {open === 'why' && <Why session={session} onClose={() => setOpen(null)} />}
    </div>
  )
}
