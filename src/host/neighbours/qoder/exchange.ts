/** What a round trip did to the messages: sizes and a per-message comparison without any text of theirs. Pure. */
import type { QoderShimStatus } from '../../../contract/status.ts'
import type { PlainMessage } from './ask.ts'

export type Exchange = NonNullable<QoderShimStatus['lastExchange']>
type Change = Exchange['diff'][number]

/** Differences listed for one exchange. */
export const DIFF_LIMIT = 50

/** Compares what was sent with what came back; lengths count content only, in UTF-16 units. */
export function compare(before: readonly PlainMessage[], after: readonly PlainMessage[]): Exchange {
  const [beforeContent, afterContent] = [total(before), total(after)]
  return {
    beforeCount: before.length, afterCount: after.length, beforeContent, afterContent,
    contentShrank: afterContent < beforeContent,
    changed: JSON.stringify(before) !== JSON.stringify(after),
    diff: differences(before, after).slice(0, DIFF_LIMIT),
  }
}

/** Equal ends are skipped; in between the messages are compared pair by pair, and the longer side's rest was added or removed. */
function differences(before: readonly PlainMessage[], after: readonly PlainMessage[]): Change[] {
  const a = before.map(asText), b = after.map(asText)
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const changes: Change[] = []
  for (let index = head; index < Math.max(a.length, b.length) - tail; index++) {
    const was = index < a.length - tail ? before[index] : undefined
    const is = index < b.length - tail ? after[index] : undefined
    if (was && is && a[index] === b[index]) continue
    changes.push(change(index, was, is))
  }
  return changes
}

function change(index: number, was: PlainMessage | undefined, is: PlainMessage | undefined): Change {
  const beforeLen = was ? length(was) : 0
  const afterLen = is ? length(is) : 0
  const delta = afterLen - beforeLen
  const kind = !was ? 'added' : !is ? 'removed' : delta < 0 ? 'shrunk' : delta > 0 ? 'grown' : 'changed'
  return { index, kind, role: (is ?? was)?.role ?? null, beforeLen, afterLen, delta }
}

const asText = (message: PlainMessage): string => JSON.stringify(message)

function total(messages: readonly PlainMessage[]): number {
  return messages.reduce((sum, message) => sum + length(message), 0)
}

function length({ content }: PlainMessage): number {
  if (typeof content === 'string') return content.length
  return content === undefined || content === null ? 0 : JSON.stringify(content).length
}
