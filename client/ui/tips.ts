/** Tooltips for everything that carries `data-mf-tip`: on hover and on focus, one bubble for the whole page. */

/** Installs the tooltips; the answer takes them away. */
export function installTips(page: Document): () => void {
  const bubble = page.createElement('div')
  bubble.id = bubble.className = 'mf-tip'
  bubble.role = 'tooltip'
  // A popover lies above dialogs.
  bubble.popover = 'manual'
  page.body.append(bubble)
  let shown: Element | null = null

  const look = ({ type, target }: Event): void => {
    const next = type.endsWith('out') || !(target instanceof Element) ? null : target.closest('[data-mf-tip]')
    if (next && next === shown) return
    shown?.removeAttribute('aria-describedby')
    bubble.hidePopover()
    shown = next
    if (!next) return
    bubble.textContent = next.getAttribute('data-mf-tip')
    next.setAttribute('aria-describedby', bubble.id)
    bubble.showPopover()
    const at = next.getBoundingClientRect()
    const { width, height } = bubble.getBoundingClientRect()
    bubble.style.left = `${Math.max(8, Math.min(at.left + at.width / 2 - width / 2, innerWidth - width - 8))}px`
    bubble.style.top = `${at.top > height + 14 ? at.top - height - 6 : at.bottom + 6}px`
  }
  const events = ['pointerover', 'focusin', 'focusout', 'pointerout']
  for (const type of events) page.addEventListener(type, look)
  return () => {
    for (const type of events) page.removeEventListener(type, look)
    bubble.remove()
  }
}
