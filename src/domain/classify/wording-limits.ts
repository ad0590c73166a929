/**
 * Wording of limits, in folded text: what is full right now (capacity), what is asked too often (rate), and what is
 * used up or unpaid (quota). Phrases tie the limit word to what happened to it, so that advice does not match.
 */

/** Any text up to the end of the sentence; a dot inside an id or a number does not end it. */
export const GAP = '(?:[^.]|\\.(?! )){0,'
const near = (before: string, after: string, gap = 40): RegExp => new RegExp(`(?:${before})${GAP}${gap}}(?:${after})`)

/** Too many requests at the same time; waiting for one of one's own to end is enough. */
export const CONCURRENCY = [
  near('\\b(?:concurren(?:t|cy)|parallel|simultaneous)\\b', '\\b(?:limit|exceed\\w*|reached|too (?:many|high)|max(?:imum)?|quota|full|allowed|usage)\\b', 60),
  near('\\b(?:limit|exceed\\w*|too many|maximum|max|reached|high|only)\\b', '\\b(?:concurren(?:t|cy)|parallel request|simultaneous)', 50),
  /userconcurrentrequests|并发|\bstream cap\b|_stream_cap\b/,
]

/** The upstream is full or busy, whoever asks. */
export const OVERLOAD = [
  /\boverloaded\b|\bover(?:whelmed| capacity)\b|\bat (?:full |max(?:imum)? |peak )?capacity\b|\bengine_overloaded/,
  /\b(?:no|insufficient|lack of|not enough|out of|limited|unexpected) (?:\w+ ){0,2}capacity\b/,
  /\b(?:system|server|service) capacity limits?\b|\bunable to (?:handle|accept|serve) (?:additional|more|new|any more) requests\b/,
  /\bcapacity (?:\w+ ){0,3}(?:full|exceeded|reached|constraints?|exhausted)\b|capacity_exhausted/,
  /\b(?:high|heavy|excessive|increased|elevated|peak) (?:\w+ )?(?:demand|load|traffic|request volume|usage volume)\b/,
  /\b(?:temporarily|currently|too|really|extremely|very|is|are|server|system|service|model) busy\b/,
  near('\\bqueue\\b', '\\b(?:full|exceeded|too long|overflow|limit)\\b', 30),
  near('\\b(?:exceed\\w*|dropped|timed out|waiting)\\b', '\\bqueue\\b'),
  /\btoo many (?:queued|pending|waiting|in-flight|outstanding) /,
  /\bmodel (?:\S{1,80} )?is (?:currently |still )?(?:being )?(?:loading|loaded|warming up|not ready)\b|\bmodelnotready|\bloading model\b/,
  /(?:过载|超载|拥挤|拥堵|繁忙|排队人数|高峰期?)|(?:负载|负荷)(?:已|过|较|太|很)?(?:经)?(?:饱和|高|大|满|重)/,
  /(?:访问|请求|调用|使用)(?:人数|量)(?:过|太|较)(?:大|多|高)|流量(?:过|太)(?:大|高)|(?:容量|算力)(?:不足|紧张|已满)|资源紧张/,
]

/** A pool of accounts or workers with none free. */
export const POOL = [
  near('\\ball (?:[\\w-]+ ){0,3}(?:accounts?|credentials?|keys?|workers?|slots?|sessions?|nodes?|instances?)\\b', '\\b(?:busy|capped|at capacity|in use|occupied|unavailable|saturated|full)\\b', 60),
  /\bno (?:\w+ )?(?:available|idle|free|healthy|usable|eligible|active) (?:\w+ )?(?:accounts?|credentials?|slots?|workers?)\b/,
  /\bno (?:accounts?|workers?|slots?) (?:is |are )?available\b/,
  /\bworker\b.{0,40}\blimit reached\b|\bno auth available\b/,
  /(?:没有|无|暂无)(?:可用|空闲|健康)(?:的)?.{0,8}(?:账号|账户)|账号(?:池)?.{0,8}(?:均|都|全部|已)(?:忙|被占用|占满|不可用)/,
]

/** A limit per second or minute. */
export const SHORT_WINDOW = [
  /(?:per|\/|every|each|in (?:a|one)) ?_?-?(?:min(?:ute)?|sec(?:ond)?)s?\b|per[ _-]?(?:minute|second|min)|perminute|persecond|byminute|\/ ?(?:min|sec|s)\b/,
  /\b(?:i|o|c)?[rtq]p[ms]\b|\bqps\b|free-models-per-min|每分钟|每秒|分钟(?:内|级)|秒级|频率|速率/,
]

/** A limit per day or longer, or over a plan's own window of hours. */
export const LONG_WINDOW = [
  /\b(?:daily|weekly|monthly|yearly|annual)\b|(?:per|\/|every|each|this|next|last) ?_?-?(?:day|week|month|billing (?:cycle|period))/,
  /per[ _-]?(?:day|week|month)|perday|byday|permonth|per 86400s/,
  /(?<![a-z])[rt]pd\b|\btoday's\b|\b(?:for|used|limit|quota|requests) today\b|\bbilling (?:cycle|period)\b/,
  /(?:每日|每天|当日|今日|今天|本日|单日|每周|本周|每月|本月|当月|日调用|日限额|月限额)/,
  /\b(?:\d+|five)[ -]?(?:hours?|hrs?|h)\b.{0,20}\b(?:limit|window|quota|usage|allowance)\b/,
  /(?:usage limit|quota|limit)\b.{0,30}\b(?:\d+|five)[ -]?(?:hours?|h)\b|\d ?个?小时.{0,6}(?:上限|限额|额度|使用|配额|限制)/,
  /\bhourly usage\b/,
]

/** That some limit was met, without saying which. */
export const LIMIT_MET = [
  /\b(?:limit|quota|cap|allowance)s?\b.{0,60}\b(?:exceed\w*|reached|exhausted|hit|used|met)\b/,
  /\b(?:exceed\w*|reached|exhausted|hit|used|over|used up|surpassed)\b.{0,60}\b(?:limits?|quotas?|cap|allowance|usage|requests?|tokens?|[rt]pd)\b/,
  /\brate ?-?_?limit/,
  /(?:上限|限额|限制|额度|配额|次数|用量).{0,10}(?:已|达|超|用|耗|满)|(?:达到?|超过?|超出|用完|用尽|耗尽).{0,16}(?:上限|限额|限制|额度|配额|次数|用量)/,
]

/** Every credential of a pool is serving a delay that an upstream imposed. */
export const POOL_COOLING = [/\b(?:is|are|all [\w-]+) cooling[ -]?down\b|\bno deployments available for selected model\b/]

const MONEY = 'balance|credits?|funds|account funds'

/** No money or paid units left, or a bill unpaid. */
export const BALANCE = [
  near('\\binsufficient', `\\b(?:${MONEY}|quota)\\b`, 30),
  near(`\\b(?:${MONEY})\\b`, '\\b(?:insufficient|too low|not enough|exhausted|depleted|ran out|run out|used up|is (?:0|zero|negative|empty)|overdue|expired|below zero)\\b'),
  new RegExp(`\\b(?:out of|no more|no remaining|not enough|(?:do|does) not have (?:any|enough|sufficient)|never purchased|(?:run|ran) out of|used (?:up )?all(?: of)?(?: your| the)?(?: available)?|need more|requires? more|requires? at least|exhausted (?:all |your |the )*|negative|low|zero) (?:\\w+ ){0,2}(?:${MONEY}|extra usage)\\b`),
  /\b(?:can only afford|payment (?:is )?required|payment method (?:is )?required|past due|overdue|arrears|arrearage|unpaid|good standing)\b/,
  /\b(?:top up your|hard billing limit|billing[ _-]?(?:is )?(?:hard limit|not active|not enabled|disabled|inactive|issues?))\b/,
  /\b(?:requires billing to be enabled|enable billing|check your billing|account is not active|spending (?:cap|limit)|spend(?:ing)? limit)\b/,
  /余额.{0,6}(?:不足|用尽|耗尽|为 ?0|为零|为负|过低|不够)|欠费|(?:请|需要?)(?:先|及时|尽快)?充值|充值后|余额不足|(?:积分|点数|余量|算力点).{0,6}(?:不足|用完|用尽|耗尽|不够)|预扣费|扣费失败|账单.{0,6}(?:逾期|未支付)|未支付/,
]

const ALLOWANCE =
  'quota|allowance|budget|usage(?: limit)?s?|(?:plan|session|subscription|credit|prompt|message) limit|(?:daily|weekly|monthly|hourly|usage|opus|sonnet|\\d+[ -]?h(?:our)?)[ -](?:\\w+ ){0,3}(?:limit|cap)|' +
  'free (?:tier|plan|trial|session|usage|quota|requests|credits|allocation|prompts|messages)|trial|premium requests?|token plan|coding plan|resource ?pack(?:age)?'

/** The allowance of a plan, a trial or a period is used up or over. */
export const ALLOWANCE_SPENT = [
  near('\\b(?:exceed\\w*|over|reached|hit|exhausted|used(?: up)?(?: all)?|consumed|depleted|surpassed|ran out of|run out of|out of|no more|no)\\b', `\\b(?:${ALLOWANCE})\\b`),
  near(`\\b(?:${ALLOWANCE})\\b`, '\\b(?:exceed\\w*|exhausted|reached|used(?: up)?|depleted|expired|ended|insufficient|not enough|consumed|ran out|hit|over|required|finished)\\b'),
  /\b(?:hit|reached) your (?:[\w-]+ ){0,3}limit\b|\blimit reached\b.{0,20}\bresets?\b|\busage limit reached\b|\byour (?:quota|limit) will (?:be )?(?:reset|refresh)/,
  /\bcheck your plan and billing\b|\bextra usage\b|\breached the set inference limit\b|\bsubscribe to (?:continue|go|a |use)/,
  /\bupgrade (?:your (?:plan|account|subscription)|to (?:continue|a paid)) ?(?:to continue|for more)?\b/,
  /(?:额度|配额|用量|次数|流量包|资源包|套餐|订阅|token ?plan).{0,12}(?:不足|用完|用尽|用光|耗尽|已?超|超限|不够|上限|到期|过期|失效|已满|枯竭)|(?:超出|超过|达到|用完|用尽|耗尽|已达|没有|无可用).{0,14}(?:额度|配额|资源包|使用上限|限额|套餐)/,
  /免费.{0,14}(?:用完|用尽|耗尽|已?结束|到期|不足|上限|枯竭|暂停)|(?:限额|额度|配额|上限).{0,24}重置/,
]

/** An offer of a bigger plan; on a 429 that speaks of no rate it is the plan that ran out. */
export const UPSELL = [/\bupgrade (?:to|your)\b|\bsubscribe\b|(?:请|需)?升级(?:套餐|账户|会员|到)/]

/** A free offer that the whole site has stopped or used up, whoever asks. */
export const SITE_WIDE = [
  /\bsite[- ]?wide\b.{0,60}\b(?:free|quota|limit|capacity|allowance|pool)\b/,
  /\bfree[ -](?:plan|tier|model|pool|usage|service|access|credit)s?\b.{0,40}\b(?:disabled|suspended|paused|closed|discontinued|restricted access)\b/,
  /\b(?:global|shared|public|overall) free\b.{0,50}\b(?:exhausted|used up|reached|exceeded|depleted|full)\b/,
  /(?:全站|站点|平台|公共).{0,10}免费.{0,14}(?:用完|用尽|耗尽|枯竭|已满|暂停|关闭)|免费(?:套餐|计划|服务|通道|模型).{0,10}(?:暂停|关闭|停用|禁用|下线)/,
]

/** Asked too often, without more detail. */
export const RATE = [
  /\brate[ _-]?limit|\btoo many (?:requests|tokens)\b|\bthrottl|\bslow down\b|\brequest(?:s)? rate\b|\brequest limit\b/,
  /\brequests? (?:too )?frequen|\bfrequency\b.{0,30}\b(?:limit|high)\b|\brequest frequency\b/,
  /\bresource has been exhausted \(e\.g\. check quota\)|\bresource_exhausted\b/,
  /限流|(?<!不)限速|速率|频率|频繁|流控|流量限制|太快|过快|请求(?:次数)?(?:过|太)多|请求限制/,
]
