import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EMPTY_SLOTS, enter, leave, refill, release, type Slots } from './slots.ts'

type Verb =
  | { readonly kind: 'enter' | 'release' | 'refill'; readonly limit: number }
  | { readonly kind: 'leave'; readonly nth: number }

const limit = fc.integer({ min: 0, max: 4 })
const verbs = fc.array(fc.oneof(
  fc.record({ kind: fc.constantFrom<'enter' | 'release' | 'refill'>('enter', 'release', 'refill'), limit }),
  fc.record({ kind: fc.constant<'leave'>('leave'), nth: fc.nat(8) }),
), { maxLength: 80 })

/** The same rules over plain lists, one newcomer at a time. */
function play(script: readonly Verb[], check: (slots: Slots, model: { running: number[]; queue: number[] }, limit: number | null) => void): void {
  let slots = EMPTY_SLOTS
  let id = 0
  const model = { running: [] as number[], queue: [] as number[] }
  const admit = (bound: number): number[] => {
    const admitted: number[] = []
    while (model.queue.length > 0 && (bound === 0 || model.running.length < bound)) {
      const next = model.queue.shift()!
      model.running.push(next)
      admitted.push(next)
    }
    return admitted
  }
  for (const verb of script) {
    if (verb.kind === 'leave') {
      const target = model.queue[verb.nth] ?? -1
      model.queue = model.queue.filter((other) => other !== target)
      slots = leave(slots, target)
      check(slots, model, null)
      continue
    }
    if (verb.kind === 'release' && model.running.length === 0) continue
    if (verb.kind === 'enter') model.queue.push(++id)
    if (verb.kind === 'release') model.running.shift()
    // A newcomer never overtakes: with somebody waiting it queues, and only a release or a refill opens the door.
    const blocked = verb.kind === 'enter' && model.queue.length > 1
    const admitted = blocked ? [] : admit(verb.limit)
    const step = verb.kind === 'enter' ? enter(slots, verb.limit, id) : verb.kind === 'release' ? release(slots, verb.limit) : refill(slots, verb.limit)
    slots = step.slots
    expect(step.admitted).toEqual(admitted)
    check(slots, model, verb.limit)
  }
}

it('lets people in first come first served, as a plain queue would', () => {
  fc.assert(fc.property(verbs, (script) => {
    play(script, (slots, model) => {
      expect(slots.running).toBe(model.running.length)
      expect(slots.waiting).toEqual(model.queue)
    })
  }))
})

it('never runs more than a limit that stays the same', () => {
  fc.assert(fc.property(verbs, fc.integer({ min: 1, max: 4 }), (script, fixed) => {
    const steady = script.map((verb) => (verb.kind === 'leave' ? verb : { ...verb, limit: fixed }))
    play(steady, (slots) => {
      expect(slots.running).toBeLessThanOrEqual(fixed)
      if (slots.waiting.length > 0) expect(slots.running).toBe(fixed)
    })
  }))
})

it('lets everybody in when the limit is dropped', () => {
  let slots = EMPTY_SLOTS
  for (const id of [1, 2, 3]) slots = enter(slots, 1, id).slots
  expect(refill(slots, 0)).toEqual({ slots: { running: 3, waiting: [] }, admitted: [2, 3] })
})

it('keeps those who run when the limit sinks below them', () => {
  let slots = EMPTY_SLOTS
  for (const id of [1, 2, 3]) slots = enter(slots, 0, id).slots
  expect(enter(slots, 2, 4).admitted).toEqual([])
  expect(release(release(slots, 2).slots, 2).slots.running).toBe(1)
})

it('lets no newcomer overtake, even when the limit has just been raised', () => {
  let slots = EMPTY_SLOTS
  for (const id of [1, 2]) slots = enter(slots, 1, id).slots
  expect(enter(slots, 5, 3)).toEqual({ slots: { running: 1, waiting: [2, 3] }, admitted: [] })
})
