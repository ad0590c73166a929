/** Short messages that go by themselves after six seconds. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { Clock } from './clock.ts'

export const NOTICE_MS = 6000

export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'info' | 'error'
  /** The session it belongs to; null = the whole page. */
  readonly session: string | null
}

export interface Notices {
  readonly list: ReadonlySignal<readonly Notice[]>
  say(text: string, tone?: Notice['tone'], session?: string | null): void
  dismiss(id: number): void
  /** Takes the messages of a session away, when its seat goes. */
  forget(session: string): void
}

export function createNotices(clock: Clock): Notices {
  const list = signal<readonly Notice[]>([])
  let last = 0
  const keep = (test: (notice: Notice) => boolean): void => { list.value = list.value.filter(test) }
  return {
    list,
    say: (text, tone = 'info', session = null) => {
      last += 1
      const id = last
      list.value = [...list.value.filter((notice) => notice.text !== text).slice(-2), { id, text, tone, session }]
      clock.after(NOTICE_MS, () => keep((notice) => notice.id !== id))
    },
    dismiss: (id) => keep((notice) => notice.id !== id),
    forget: (session) => keep((notice) => notice.session !== session),
  }
}
