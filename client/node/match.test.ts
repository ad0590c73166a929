import { expect, it } from 'vitest'
import { NOW, decision } from '../testing/builders.ts'
import { decisionOfMove } from './match.ts'

const a = { provider: 'alpha', model: 'a-1' }
const b = { provider: 'beta', model: 'b-1' }
const move = { from: a, to: b, at: NOW }

it('finds the newest decision for the target that came before the request', () => {
  const right = decision({ at: NOW - 1000 })
  expect(decisionOfMove([decision({ at: NOW - 60_000 }), right, decision({ at: NOW + 60_000 })], move)).toBe(right)
})

it('takes neither another target, nor a stay, nor one of long ago', () => {
  expect(decisionOfMove([decision({ at: NOW, to: a, from: b }), decision({ at: NOW, from: b, to: b }), decision({ at: NOW - 3_600_000 })], move)).toBeNull()
})
