/** How far a used-up allowance reaches: the whole provider, or the one route that met it. */
import type { Scope } from '../../contract/failure.ts'
import type { Evidence } from './evidence.ts'

/** The limit is one model's, or one group of models'. */
const OF_MODEL = [
  /permodel|\bper[ -_]model\b|bymodel|\b(?:for|on) (?:this |the )?model\b|\bopus\b|\bsonnet\b|free[ -]models?\b|\bbase_model\b|\bfor [a-z]+-[\w.-]*\d/,
  /(?:该|此|当前)模型|免费模型/,
]

/** The limit is the account's, or one that all of its models share. */
const OF_ACCOUNT = [
  /\b(?:account|organi[sz]ation|team|workspace|subscription|plan|balance|credits?|funds|billing|user|membership|usage limit|plan_type|session limit|weekly limit|hourly usage|current quota|token quota|budget|arrears|arrearage|overdue)\b/,
  /\b(?:hit|reached) your\b.{0,30}\blimits?\b|\b(?:5|five)[ -]hours?\b|\bweekly\b|\bmonthly\b|\b(?:hour|week|month) allocated quota\b|\bapi usage limits?\b/,
  /余额|欠费|账[户号]|套餐|用户|订阅|令牌|充值|预扣费|积分|使用上限|token ?plan/,
]

/**
 * The scope of a quota failure. A model's own limit spares its siblings; money and plans are the provider's; where
 * the text names neither, the narrow reading costs one request per sibling and the wide one would bar working models.
 */
export function quotaScope(seen: Evidence): Scope {
  if (OF_MODEL.some((phrase) => phrase.test(seen.text))) return 'route'
  return OF_ACCOUNT.some((phrase) => phrase.test(seen.text)) ? 'provider' : 'route'
}
