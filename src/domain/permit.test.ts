import { expect, it } from 'vitest'
import { LEASE_MS, liveLease } from './permit.ts'

it('counts a lease for 90 s and not a moment longer', () => {
  const lease = { id: 1, since: 0, until: LEASE_MS }
  expect([0, 89_999, 90_000].map((now) => liveLease(lease, now)?.id ?? null)).toEqual([1, 1, null])
  expect(liveLease(null, 0)).toBeNull()
})
