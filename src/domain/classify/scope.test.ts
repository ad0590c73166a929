import { expect, it } from 'vitest'
import { evidence } from './evidence.ts'
import { quotaScope } from './scope.ts'

const scope = (message: string): string => quotaScope(evidence({ message }))

it.each([
  'Insufficient Balance',
  "You've hit your limit · resets 2am (America/Los_Angeles)",
  '5-hour limit reached, resets 3pm',
  '已达到 5 小时的使用上限',
  '用户额度不足',
  'Your organization has used its monthly budget',
  'week allocated quota exceeded.',
])('bars the provider when the limit is the account\'s: %s', (message) => {
  expect(scope(message)).toBe('provider')
})

it.each([
  'You have exhausted your daily quota on this model.',
  'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
  'Weekly limit for Opus reached, your account can use other models',
  'Subscription quota exceeded. You can continue using free models.',
  '该模型今日免费额度已用完',
])('spares the siblings when the limit is one model\'s: %s', (message) => {
  expect(scope(message)).toBe('route')
})

it('takes the narrow reading when the text names neither', () => {
  expect(scope('quota exceeded')).toBe('route')
})
