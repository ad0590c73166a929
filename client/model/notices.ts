/** Short messages that go by themselves after six seconds. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { Clock } from './clock.ts'

export const NOTICE_MS = 6000

export interface Notice {
  readonly text: string
  /** The session it belongs to; null = the whole page. */
  readonly session: string | null
}

export interface Notices {
  readonly list: ReadonlySignal<readonly Notice[]>
  say(text: string, session?: string | null): void
  /** Takes the messages of a session away, when its seat goes. */
  forget(session: string): void
}

export function createNotices(clock: Clock): Notices {
  const list = signal<readonly Notice[]>([])
  const keep = (test: (notice: Notice) => boolean): void => { list.value = list.value.filter(test) }
  return {
    list,
    say: (text, session = null) => {
      const notice = { text, session }
      list.value = [...list.value.filter((other) => other.text !== text).slice(-2), notice]
      clock.after(NOTICE_MS, () => keep((other) => other !== notice))
    },
    forget: (session) => keep((notice) => notice.session !== session),
  }
}
