/** Tooltips for everything that carries `data-mf-tip`: on hover and on focus, one bubble for the whole page. */

const PAUSE_MS = 250

function place(bubble: HTMLElement, target: Element): void {
  const at = target.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const left = Math.max(8, Math.min(at.left + at.width / 2 - width / 2, innerWidth - width - 8))
  const above = at.top - height - 6
  bubble.style.left = `${left}px`
  bubble.style.top = `${above < 8 ? at.bottom + 6 : above}px`
}

/** Installs the tooltips; the answer takes them away. */
export function installTips(page: Document): () => void {
  const bubble = page.createElement('div')
  bubble.className = 'mf-tip'
  bubble.id = 'mf-tip'
  bubble.setAttribute('role', 'tooltip')
  bubble.hidden = true
  page.body.append(bubble)
  let shown: Element | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const hide = (): void => {
    clearTimeout(timer)
    shown?.removeAttribute('aria-describedby')
    shown = null
    bubble.hidden = true
  }
  const show = (target: Element): void => {
    const text = target.getAttribute('data-mf-tip')
    if (!text || !target.isConnected) return
    shown = target
    bubble.textContent = text
    bubble.hidden = false
    target.setAttribute('aria-describedby', bubble.id)
    place(bubble, target)
  }
  const over = (event: Event): void => {
    const target = event.target instanceof Element ? event.target.closest('[data-mf-tip]') : null
    if (target === shown && target !== null) return
    hide()
    if (target !== null) timer = setTimeout(() => show(target), event.type === 'focusin' ? 0 : PAUSE_MS)
  }
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') hide()
  }
  const ends: (() => void)[] = [hide]
  const on = (type: string, run: (event: never) => void): void => {
    page.addEventListener(type, run as EventListener, true)
    ends.push(() => page.removeEventListener(type, run as EventListener, true))
  }
  on('pointerover', over)
  on('focusin', over)
  on('focusout', hide)
  on('pointerdown', hide)
  on('scroll', hide)
  on('keydown', key)
  return () => {
    for (const end of ends) end()
    bubble.remove()
  }
}
