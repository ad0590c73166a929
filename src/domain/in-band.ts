/**
 * Whole answers that are no answers: an upstream that fails but sends its error as text with a clean stop. A text counts
 * only if every part of it, from start to end, belongs to an error message; a sentence more makes it an answer.
 */
import type { HostFailure } from './chunks.ts'

/** Status line words of HTTP (RFC 9110 §15, RFC 6585) for the failures a relay passes on. */
const REASONS = 'bad request|unauthorized|payment required|forbidden|not found|request timeout|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out'
const THING = '(?:the |this |our |your )?(?:(?:requested|selected|current|upstream|model|inference|backend|api) )*(?:upstream|upstream provider|provider|model|servers?|service|engine|backend|api|gateway|request|connection|stream|response)'
const STATE = '(?:is|are|was|has been)? ?(?:currently |temporarily |now )*(?:overloaded|unavailable|busy|at capacity|over capacity|down|not available|experiencing high (?:load|demand|traffic)|timed out|closed|reset|refused|failed|interrupted|aborted)'
const LIMIT = '(?:(?:you(?: have|\'ve)? (?:reached|exceeded|hit) )?(?:your |the )?(?:(?:api|current|daily|monthly|hourly|request|token|usage|account) )*(?:rate limit|rate limits|quota|usage limit|limit|credit balance|balance|credits?)(?: (?:has been |is |was )?(?:exceeded|reached|exhausted|too low|insufficient|used up))?(?: for (?:this|the) \\w+)?)'
const EXCUSE = '(?:,? ?(?:and |so |but )?(?:please )?(?:try again|retry)(?: your request)?(?: (?:later|soon|shortly|in a (?:few )?(?:moments?|minutes?|seconds?)|after \\d+ ?\\w+))?|please (?:check your plan and billing(?: details)?|contact (?:support|the administrator)|slow down)|sorry(?: for the inconvenience)?|we apologi[sz]e for the inconvenience)'
const PLAIN = `(?:${REASONS}|${THING} ${STATE}|(?:upstream|model|server|service|engine) (?:overloaded|unavailable|busy|error|timeout)|${LIMIT}|insufficient (?:quota|balance|credits?|funds)|(?:internal|unknown|upstream|server|network|stream) (?:server )?error|(?:an? )?(?:internal|unexpected|unknown|upstream) (?:server )?error (?:has )?occurred|no available (?:accounts?|channels?|upstream)(?: for (?:this )?model \\S+)?|request timed out|connection (?:reset|refused|error)|fetch failed|invalid api key(?: provided)?)`
const CHINESE = '(?:(?:当前|该|此|上游|本)?(?:模型|服务|服务器|系统|接口|账号|账户|通道|请求|访问量|用户|网关)*(?:繁忙|过载|超载|不可用|暂不可用|暂时不可用|异常|错误|超时|失败|过大|过多|过于频繁|并发过高|负载过高|已达上限|限流|出错了?)|(?:账户|账号)?(?:余额|额度|配额|积分)(?:不足|已用完|已用尽|已耗尽)|(?:没有|无)可用(?:的)?(?:账号|渠道|通道)|(?:您|你)?的?(?:请求|访问)(?:过于频繁|过快|太快|次数已达上限)|(?:今日|当日|本月)?(?:免费)?(?:额度|次数)(?:已用完|已用尽|已耗尽))'
const CHINESE_EXCUSE = '(?:请?(?:您)?(?:稍后|过一会儿?|等待一会儿?)(?:再试|重试|再次尝试|再来)(?:一次)?|请(?:充值|联系管理员|联系客服|降低请求频率|重试))'
const SENTENCE = new RegExp(`^(?:sorry,? |抱歉，?|很抱歉，?)?(?:${PLAIN}|${CHINESE})$`, 'iu')
const FILLER = new RegExp(`^(?:${EXCUSE}|${CHINESE_EXCUSE})$`, 'iu')
const LEAD = /^(?:\[?(?:error|api error|upstream error|错误|请求失败|request failed)\]?\s*[:：]\s*)?(?:(?:http\s*|status(?: code)?[: ]*|code[: ]*)?[45]\d\d(?=$|[\s:：,-])[\s:：,-]*)?/iu

/** The failure a whole answer stands for, with the text as its message; null for anything that may be an answer. */
export function errorInDisguise(text: string): HostFailure | null {
  const whole = text.trim()
  return isErrorJson(whole) || isErrorText(whole) ? { code: 'MALFORMED_RESPONSE', message: whole } : null
}

/** A JSON object whose only business is an error. */
function isErrorJson(text: string): boolean {
  const start = text.replace(LEAD, '')
  if (!start.startsWith('{') || !start.endsWith('}')) return false
  let body: unknown
  try { body = JSON.parse(start) } catch { return false /* braces in an ordinary answer */ }
  const { error, type, message, code, status } = body as { readonly [key: string]: unknown }
  if (typeof error === 'string') return error !== ''
  if (typeof error === 'object' && error !== null) return 'message' in error || 'code' in error || 'type' in error
  return type === 'error' || (typeof message === 'string' && (isFailingStatus(code) || isFailingStatus(status)) && isErrorText(message))
}

const isFailingStatus = (value: unknown): boolean => Number(value) >= 400 && Number(value) < 600

function isErrorText(text: string): boolean {
  const lead = LEAD.exec(text)?.[0] ?? ''
  const rest = text.slice(lead.length).trim()
  if (rest === '') return /\d/.test(lead)
  const sentences = rest.split(/[.!。！；;\n]+(?:\s|$|(?=[\u4e00-\u9fff]))|[,，](?=\s*(?:please|try|retry|请))/iu).map((part) => part.trim().replace(/[.!。！]+$/u, '')).filter((part) => part !== '')
  return sentences.some((one) => SENTENCE.test(one)) && sentences.every((one) => SENTENCE.test(one) || FILLER.test(one))
}
