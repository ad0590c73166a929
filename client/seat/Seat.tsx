/** The composer's model seat: what the session runs on, how well that is, and the ways to change it. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useShared, useWatch } from '../model/context.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/Icon.tsx'
import { Toaster } from '../ui/Toaster.tsx'
import { effortWord, routeName } from '../words.ts'
import { Badge } from './Badge.tsx'
import { Dialog } from './Dialog.tsx'
import { Dropdown } from './Dropdown.tsx'
import { Why } from './Why.tsx'

export interface SeatProps { readonly locked: boolean; readonly sessionId: string }

type Open = 'menu' | 'dialog' | 'why' | null

export function Seat({ props }: { readonly props: ReadonlySignal<SeatProps> }): VNode {
  const { locked, sessionId } = props.value
  const { app, session: find } = useShared()
  const session = useMemo(() => find(sessionId), [find, sessionId])
  const [open, setOpen] = useState<Open>(null)
  const box = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  useWatch(app.watch)
  useWatch(session.watch)
  useEffect(() => { void app.models.refresh() }, [app])
  useEffect(() => { if (locked) setOpen(null) }, [locked])
  const route = session.route.value
  const name = route === null ? null : routeName(app.models.data.value, route)
  const effort = route?.effort ? effortWord(route.effort) : null
  const text = name === null ? t('seat.choose') : [name.provider, name.model, ...(effort ? [effort] : [])].join(' · ')
  const press = (): void => {
    void app.models.refresh()
    setOpen((now) => (now === null ? app.settings.value?.dialogMode === true ? 'dialog' : 'menu' : null))
  }
  const close = (): void => {
    setOpen(null)
    trigger.current?.focus()
  }
  return (
    <div ref={box} class="mf mf-seat-box">
      <Badge session={session} disabled={locked} onOpen={() => setOpen('why')} />
      <button ref={trigger} type="button" class="mf-trigger" disabled={locked} aria-haspopup="dialog" aria-expanded={open === 'menu' || open === 'dialog'} aria-label={t('seat.label', { model: text })} data-mf-tip={open === null ? text : undefined} onClick={press}>
        {name !== null && <span class="mf-trigger-part mf-trigger-provider">{name.provider}<i aria-hidden="true"> · </i></span>}
        <span class="mf-trigger-part mf-trigger-model">{name?.model ?? t('seat.choose')}</span>
        {effort !== null && <span class="mf-trigger-part mf-trigger-effort"><i aria-hidden="true"> · </i>{effort}</span>}
        <Icon name={open === 'menu' ? 'up' : 'down'} size={14} />
      </button>
      {open === 'menu' && <Dropdown session={session} box={box} onClose={close} onDialog={() => setOpen('dialog')} onWhy={() => setOpen('why')} />}
      {open === 'dialog' && <Dialog session={session} onClose={() => setOpen(null)} />}
      {open === 'why' && <Why session={session} onClose={() => setOpen(null)} />}
      <Toaster />
    </div>
  )
}
