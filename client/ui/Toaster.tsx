/** The messages on top of the page; mounted once, in a root of the plugin's own. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Notices } from '../model/notices.ts'

export function Toaster({ notices }: { readonly notices: Notices }): VNode {
  const box = useRef<HTMLDivElement>(null)
  const list = notices.list.value
  useEffect(() => {
    // Shown anew, it lies above a dialog that was opened meanwhile.
    box.current?.hidePopover()
    if (list.length) box.current?.showPopover()
  }, [list])
  return <div ref={box} class="mf mf-toasts" popover="manual" role="status" aria-live="polite">{list.map(({ text }) => <p key={text}>{text}</p>)}</div>
}
