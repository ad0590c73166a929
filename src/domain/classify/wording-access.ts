/**
 * Wording of refusals for who asks (credential, account, tier) and for what is asked for (model gone, model or
 * upstream down), in folded text.
 */
import { GAP } from './wording-limits.ts'

const KEYS =
  'api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|(?:access|auth|oauth|refresh|bearer|session|id|security|jwt|user|login|api|github|copilot|authorization|authentication|ide|proxy server|access key)[ _-]?tokens?|' +
  'auth(?:entication|orization)?(?: (?:header|credentials?|information|info|key))?|credentials?|bearer|x-api-key|subscription key|oauth session|request signature|license key'
const NOT_GOOD = "invalid|incorrect|wrong|missing|expired|revoked|unknown|no|bad|malformed|leaked|disabled|required|illegal|not (?:valid|found|provided|recognized|set)|did not|does not match|mismatch|fail(?:ed|ure|s)?|could not|cannot|unable|unsupported|not supported|inactive|deleted|blocked"

/** The credential is missing, wrong or over. */
export const CREDENTIAL = [
  new RegExp(`\\b(?:${NOT_GOOD})\\b${GAP}30}\\b(?:${KEYS})\\b`),
  new RegExp(`\\b(?:${KEYS})\\b${GAP}40}\\b(?:${NOT_GOOD}|error)\\b`),
  /\bunauthori[sz]ed\b|\bunauthenticated\b|\bnot (?:logged|signed) in\b|\b(?:please )?(?:log|sign) ?in (?:again|first|to)\b/,
  /\bplease (?:re-?)?login\b|\blogin (?:has )?(?:expired|required|fail)|\bsession (?:has )?expired\b/,
  /\btoken (?:is |has |was |has been )?(?:expired|invalid|revoked|rejected|not provided|missing|not active)/,
  /\b(?:invalid|expired|missing|no) token\b(?! (?:count|limit|number|budget))|\binvalid_grant\b|\bre-?authenticate\b|\bunregistered callers\b/,
  /\bproxy server token\b|\bmust provide (?:an? )?(?:api|access|auth)/,
  /(?:令牌|密钥|api ?key|apikey|(?<![a-z_])token(?!s)|凭证|凭据|身份|鉴权|认证|签名|登录(?:态)?|授权|秘钥).{0,12}(?:过期|失效|无效|错误|不正确|非法|失败|不存在|不通过|未通过|未提供|缺失|为空|已?被?(?:禁用|删除|吊销)|不可用|校验|有误|已到期)/,
  /(?:过期|失效|无效|错误|不正确|非法|未提供|缺少|缺失|没有提供|未携带|未收到|请提供|检查)(?:的)?.{0,14}(?:令牌|密钥|api ?key|apikey|access ?token|凭证|凭据|身份验证|鉴权|认证|签名|authentication|authorization)/,
  /未(?:授权|登录|认证|鉴权)|请(?:先|重新)?(?:登录|授权)/,
]

/** The account or its owner is shut out. */
export const BLOCKED = [
  new RegExp(`\\b(?:account|organi[sz]ation|user|team|project|workspace|consumer|tenant|api key owner|ip(?: address)?)\\b${GAP}50}\\b(?:suspended|disabled|deactivated|banned|blocked|locked|terminated|restricted|closed|frozen|blacklisted|irregular|abnormal|not active|inactive)\\b`),
  /\b(?:suspended|disabled|deactivated|banned|blocked|locked|terminated|restricted|frozen|blacklisted|inactive) (?:\w+ )?(?:account|organi[sz]ation|user|ip)\b/,
  /\byou (?:have been|are|were) (?:blocked|banned|suspended)\b|\battention required! \| cloudflare\b|\benable javascript and cookies\b/,
  /\bjust a moment\.\.\./,
  /(?:账号|账户|用户|组织|项目|ip|渠道账号).{0,16}(?:封禁|被封|禁用|停用|冻结|锁定|封停|拉黑|限制访问|受限|异常|违规|注销|非活动)/,
]

/** Only certain client programs are let in. */
export const CLIENT_ONLY = [/\bonly (?:allows?|accepts?(?: requests from)?|(?:available|open) (?:for|to)|supports?)\b(?:[^.]|\.(?! )){0,40}\b(?:clients?|cli|coding agents?)\b|\byour client is not\b|仅(?:允许|支持|限).{0,16}客户端/]

/** No channel of a relay carries the model. */
export const NO_CHANNEL = [/\bno available channel|(?:无|没有|未找到|暂无)可用(?:的)?.{0,4}渠道/]

/** The key or the team may use other models only. */
export const MODEL_BARRED = [/\bnot allowed to (?:access|use) (?:this |the )?model\b|\bcan only access models\b|(?:无权|没有权限)(?:访问|使用).{0,6}模型/]

/** The account may not use this: tier, region, permission, verification. */
export const TIER = [
  /\b(?:country|region|territory|location|geograph\w+|area)\b(?:[^.]|\.(?! )){0,40}\b(?:not (?:supported|available|allowed|permitted)|unsupported|blocked|restricted|prohibited)/,
  /\b(?:not (?:supported|available|allowed|offered)|unsupported|unavailable|blocked|restricted|prohibited)\b(?:[^.]|\.(?! )){0,30}\b(?:country|region|territory|location)\b/,
  /\b(?:plan|tier|subscription|license|licence|pricing)\b(?:[^.]|\.(?! )){0,40}\b(?:does )?not (?:\w+ )?(?:include|allow|support|have|permit|cover|eligible|entitled)/,
  /\b(?:not (?:\w+ )?(?:included|available|supported|enabled|allowed|offered|accessible|eligible)|unavailable)\b(?:[^.]|\.(?! )){0,40}\b(?:plan|tier|subscription|license|free users?)\b/,
  /\b(?:requires?|only (?:available|for)|available (?:only )?(?:to|for|on|with)|restricted to|limited to|need)\b(?:[^.]|\.(?! )){0,40}\b(?:plan|tier|subscription|subscribers?|pro users?|paid (?:users?|accounts?)|premium|enterprise|members?(?:hip)?)\b/,
  /\bupgrade\b(?:[^.]|\.(?! )){0,40}\b(?:access|use|unlock) (?:this|the|to)/,
  /\b(?:(?<!method )not (?:\w+ )?(?:allowed|authori[sz]ed|permitted|entitled|whitelisted|allowlisted|enabled))\b/,
  /\b(?:(?:do|does) not have (?:\w+ )?(?:access|permission|authori[sz]ation)|no (?:access|permission)|lacks? (?:\w+ )?permission)\b/,
  /\b(?:insufficient (?:permission|privilege|scope|access)|without permission|has not (?:been )?(?:activated|enabled|granted|opened))\b/,
  /\b(?:access (?:to (?:\S+ ){1,6})?(?:is |was |has been )?(?:denied|forbidden|restricted|prohibited)|model access denied)\b/,
  /\b(?:permission[ _-]?denied(?:error)?|permission[ _-]error|must be verified|verification (?:is )?required)\b/,
  /\b(?:verify your (?:account|identity|organi[sz]ation)|forbidden(?:error)?|can only access|only authorized for|may not be used)\b/,
  /\b(?:not for use)\b/,
  /(?:无|没有|暂无|缺少|无此)(?:访问|使用|操作|调用|该模型|此模型|相关|接口)?(?:的)?.{0,6}权限|权限(?:不足|被拒|受限)|无权(?:访问|使用|调用|操作)?|禁止(?:访问|使用|调用)|(?:暂)?未开放/,
  /(?:套餐|订阅|等级|版本).{0,14}(?:不支持|不包含|暂未开放|无法使用|未开放)|(?:地区|区域|国家).{0,10}(?:不支持|不可用|限制|受限)|实名|白名单|访问被拒绝|拒绝访问|仅限.{0,10}(?:用户|会员|套餐)|请?升级(?:套餐|会员|到)/,
]

/** The model is gone for good, not only unknown here. */
export const END_OF_LIFE = [
  /\bend[ -]of[ -](?:its )?(?:life|service|support)\b|\breached the end of its life\b/,
  new RegExp(`\\b(?:models?|version|deployment|endpoint|engine)\\b${GAP}100}\\b(?:decommissioned|retired|sunset|discontinued|shut ?down|has been (?:removed|deprecated|deleted)|was (?:removed|deprecated|retired)|is deprecated|no longer (?:available|supported|offered|served|exists?|active)|marked (?:by provider )?as legacy)\\b`),
  /\bdecommissioned model|\bdeprecated model\b|\bmodel_(?:decommissioned|deprecated|retired)\b/,
  /(?:模型|接口|api|版本).{0,60}(?:已下线|已下架|已退役|停止服务|已停服|已废弃|不再(?:提供|支持|可用)|已被(?:移除|删除|下线))/,
]

const ABSENT =
  "do(?:es)? not exist|not exist|not found|not (?:currently )?available|is unavailable|unavailable|not (?:a )?(?:valid|supported|recogni[sz]ed|known)|unsupported|unrecognized|not deployed|is unknown|not (?:accessible|served|registered|configured|activated|loaded|installed|offered|listed|enabled|hosted|allowed here)|is invalid|has not been (?:found|deployed)|could not be (?:found|resolved|located)|cannot be found|with on-demand throughput is not"

/** The model, deployment or endpoint is not there, with or without a quoted id in the middle. */
export const NO_MODEL = [
  new RegExp(`\\b(?:models?(?! (?:stream|output|response|returned|call))|deployment|engine|inference profile|endpoint|function|adapter|lora)\\b${GAP}120}\\b(?:${ABSENT})\\b`),
  /\b(?:unknown|invalid|unsupported|no such|non-?existent|unrecognized|undefined|not a valid|incorrect|wrong|missing|unavailable|bad) (?:ai |llm )?models?\b(?! (?:output|response|outputs))/,
  /\bno (?:\w+ )?models? (?:found|matches|matching|available|named|is loaded|are loaded|loaded|currently loaded)/,
  /\bmodel[ _-]?not[ _-]?(?:found|supported|available|exist)|\btry pulling it\b|\bcannot find (?:the )?model\b/,
  /\bcould not (?:find|resolve) (?:the )?(?:model|deployment)|\bfailed to (?:load|find) model\b|\bunknown provider for model\b/,
  /\bllm provider not provided\b|\bhas been taken offline\b/,
  /\bno endpoints (?:found|available)/,
  /\bno (?:available |active |valid )?(?:channels?|providers?|routes?|distributors?|deployments?) (?:\w+ ){0,3}(?:for|support\w*|found|with|serving) /,
  /\bfunction '[^']{1,80}': not found\b|\bno allowed providers are available\b|\bis not a valid model\b|\bmodel id\b.{0,40}\binvalid\b/,
  /模型.{0,80}(?:不存在|未找到|找不到|没找到|未开通|未激活|不可用|不支持|无法访问|未部署|未上线|未启用|无可用|未配置)|(?:不存在|未找到|找不到|无效|不支持|未知|没有|错误)(?:的|该|此|这个)?.{0,6}模型|接入点.{0,20}(?:不存在|非法|未找到)/,
]

/** The upstream behind this address is down, says the gateway or the upstream itself. */
export const DEAD_UPSTREAM = [
  /\bdegraded\b.{0,30}\b(?:cannot|not) be invoked\b/,
  /\bmodel is (?:currently |temporarily )?(?:unavailable|offline|down|disabled|not available at the moment)\b/,
  /\bmodel (?:disabled|is disabled|has been disabled|paused)\b/,
  /\bno (?:healthy|available|live|active|usable) (?:\w+ )?(?:upstreams?|hosts?|backends?|servers?|instances?|providers?|deployments?|targets?|nodes?)\b/,
  /\b(?:are|is) no healthy\b|\bprovider_unavailable\b|\bupstream_unavailable\b/,
  new RegExp(`\\b(?:upstream|origin|backend|provider|endpoint|inference server|worker|instance|relay|target)s?\\b${GAP}40}\\b(?:unavailable|down|unreachable|offline|closed|paused|disabled|not responding|not available|dead|stopped|inactive|not running|connect error|connection (?:refused|failure|error|reset))\\b`),
  /\bweb server is down\b|\bmodel has crashed\b|\bno (?:enabled|usable) keys?\b|\bno (?:upstream )?providers? (?:is |are )?available\b/,
  /\borigin is unreachable\b|\bupstream connect error\b|\bdo request failed\b|\bget_channel_failed\b/,
  /(?:上游|后端|渠道|源站|节点|提供商).{0,14}(?:不可用|故障|已关闭|离线|宕机|无响应|连接失败|异常关闭|已停用|无法连接|不可达)|模型(?:暂时|当前|暂|临时)?不可用|(?:模型|服务)(?:正在)?维护/,
]
