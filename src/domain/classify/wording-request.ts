/**
 * Wording of requests that an upstream refuses for what they hold, in folded text: too long, a kind of content the
 * model does not take, content that a filter stops, or a parameter it does not like.
 */

/** The request does not fit into the model. Advice such as "reduce the prompt length" is no sign of it. */
export const TOO_LONG = [
  /\b(?:prompt|input|context|conversation|history|messages?|request(?: body| payload)?|payload|text|content|document|query)\b(?: (?!took|takes|taking|ran|runs)\w+){0,3} (?:is|are|was|were)? ?(?:too|very) (?:long|large|big)\b/,
  /\b(?:maximum|max|model'?s|supported|available|allowed) (?:\w+ ){0,2}context[ _-]?(?:length|window|size|limit)?\b/,
  /\b(?:exceed\w*|over|larger than|longer than|greater than|more than|beyond|surpass\w*|too large for|too long for|overflows?|must be less than|must not exceed)\b(?:[^.]|\.(?! )){0,60}\b(?:context(?:[ _-]?(?:length|window|size|limit))?|max_seq_len|max_model_len|max_input_tokens|n_ctx|(?:maximum|max|model'?s?) (?:\w+ )?(?:input|prompt|sequence|message) (?:length|tokens?|size|limit)|(?:input|prompt|model|model token|context token) (?:token |length )?limit|maximum model length|maximum number of tokens allowed|max message tokens|maximum length)\b/,
  /\bcontext(?:[ _-](?:length|window|size|limit))?\b(?:[^.]|\.(?! )){0,40}\b(?:exceed\w*|overflow\w*|is full|too small|reached)\b|\bcontext the overflows\b/,
  /\b(?:prompt|input|total|request|message) ?(?:token|tokens|length|size)(?: count)?(?: of| \()? ?\(?\d+\)?(?: tokens)?\)? (?:exceeds|is longer than|is larger than|is over|>)/,
  /\bprompt is too long\b|\bprompt tokens? (?:limit )?exceed|\b(?:maximum|max) prompt length\b|\blength of prompt_tokens\b/,
  /\brange of input length should be\b|\btoo many (?:input |prompt |total )?tokens:|\binputs?'? (?:tokens )?\+ '?max_new_tokens/,
  /\binputs'? must have less than\b|\bmax input (?:characters|length|tokens)\b|\bcurrent length is \d+ while limit is \d+/,
  /\brequires? (?:approximately |about |around )?\d+ tokens\b.{0,60}\bcontext\b/,
  /\brequest(?: body)? too large for\b|\brequest entity too large\b|\bpayload too large\b|\brequest_too_large\b|\bpayload size exceeds\b/,
  /\blength limit exceeded\b|\bstring too long\b|\bcontent length exceeds\b|\bmaximum request (?:body )?size\b/,
  /(?:上下文|输入|内容|提示词|prompt|对话|消息|文本|历史|问题)[^,.;]{0,16}(?:过长|太长|超长|超出|超过|超限|过大)|请求(?:内容|体|长度|文本|正文)?(?:过长|太长|过大|超长)/,
  /超(?:过|出)(?:了)?[^,.;]{0,12}(?:模型(?:的)?(?:最大)?(?:上限|长度)|上下文|最大(?:输入)?长度|最大token|长度限制|输入限制|最大字数)/,
  /token(?:s)?(?:数量|数|总数|长度)?(?:超过|超出|过长|超限|过多)(?!.{0,12}(?:每分钟|限流|频率))|字数超|长度超|开启新对话|精简输入/,
]

/** Advice that goes with a full window, once the text speaks of size and of no period. */
export const SHORTEN = [/\bshorten (?:your|the) (?:prompt|message|input|conversation|request)|\bstart a new (?:conversation|chat|session|thread)\b/]

const MEDIA = 'images?|image_url|input_image|vision|visual|multi-?modal(?:ity)?|audio|video|pdfs?|files? input|file attachments?|attachments?|media'
const TOOLS = 'tools?|tool[ _-](?:use|calls?|calling|choice)|function[ _-]?call(?:s|ing)?|functions'
const REFUSES = "(?:does not|do not|cannot|not|unable to|not able to|no longer|never) (?:\\w+ )?(?:support|accept|process|handle|read|allow|view|see|take)\\w*"
const REFUSED = "(?:is|are) (?:not|only) (?:\\w+ )?(?:supported|accepted|allowed|enabled)|not supported|unsupported|aren't supported|only supported by"

/** A kind of content or an ability that the model lacks. */
export const MODALITY = [
  new RegExp(`${REFUSES}(?: \\S+){0,5}? (?:\\w+[ /])?\\b(?:${MEDIA}|${TOOLS})\\b`),
  new RegExp(`\\b(?:${MEDIA}|${TOOLS})\\b(?:['"\`]| input| content| modality| type| part| inputs| parts| blocks?| parameter| use| messages?){0,3} (?:${REFUSED})\\b`),
  new RegExp(`\\b(?:unsupported|unexpected|unknown)(?: \\w+)? (?:content(?: part)?|message|variant|input|modality|media|block)(?: type)?:? ?['"\`(]{0,2}(?:${MEDIA})`),
  /\bno endpoints found that support (?:image|tool|audio|video|file|pdf|input|the )|\bunknown variant ['`"]?image/,
  /\bat most 0 (?:image|audio|video)|\bsupports? (?:only text|text only|text-only)|\bonly (?:supports?|accepts?) text\b/,
  /\bnot (?:a )?(?:multi-?modal|vision)(?: language)?(?: model)?\b|\bdoes not have vision\b/,
  /\btool choice requires\b|--enable-auto-tool-choice|\btool use is not\b|\bfunction calling is not\b/,
  /不支持.{0,12}(?:图片|识图|视觉|多模态|语音|音频|视频|文件|附件|工具|函数调用|function)|(?:图片|视觉|多模态|音频|视频|文件|工具|函数)(?:输入|理解|调用|内容)?.{0,6}(?:不支持|不被支持|不可用)|仅支持(?:纯)?文本/,
]

/** A filter stopped the prompt or the answer. */
export const FILTERED = [
  /\bcontent[ _-]?(?:management|filter\w*|polic\w+|moderation|safety|risk|violation)\b|\bcontent exists risk\b|\bresponsible ?ai\b|\bdata ?inspection/,
  /\b(?:prompt|input|request|output|response|content|message|text|image)s?\b(?:[^.]|\.(?! )){0,40}\b(?:flagged|moderated|blocked (?:by|due|because|for)|(?:was|been|is) blocked|filtered|inappropriate|prohibited|unsafe)\b/,
  /\bviolat\w+\b(?:[^.]|\.(?! )){0,40}\b(?:usage polic|content polic|acceptable use|polic(?:y|ies)|guidelines|safety)/,
  /\b(?:inappropriate|sensitive|harmful|unsafe|prohibited|illegal) (?:content|information|words?|text|material)/,
  /\bsafety (?:system|filter|settings|polic\w+|reasons?|check)\b|\brequires moderation\b/,
  /\b(?:model|assistant) (?:has )?refused to (?:complete|answer|respond|process|fulfil|generate)/,
  /\bfinish_?reason:? ?(?:sensitive|safety|content_filter|prohibited|blocklist|recitation|spii)\w*/,
  /敏感(?:词|内容|信息|字符)|不(?:安全|当|合规|良|适宜)(?:的)?(?:内容|信息|或)|内容.{0,12}(?:违规|风险|审核|不合规|安全|风控)|违反.{0,12}(?:规定|政策|法规|法律|规范)|违禁|涉(?:黄|政|暴)|安全(?:策略|审核|审查|检测|围栏)|违规(?:内容|信息|词)/,
]

const PARAMETER =
  "parameters?|param|argument|field|property|value|option|role|schema|(?:request|input|message|image|tool|output) format|temperature|top_p|top_k|max_(?:completion_|output_|new_)?tokens|max_?tokens|tool_choice|response_format|stream_options|reasoning_effort|reasoning effort|reasoning|thinking|budget_tokens|system (?:message|prompt|role)|prefill|logprobs|stop sequences?|n\\b"

/** A parameter or the order of messages is refused; another model may accept the same. */
export const PARAMETERS = [
  new RegExp(`\\b(?:unsupported|invalid|unknown|unrecognized|unrecognised|unexpected|missing|illegal|incorrect|malformed|bad|required|deprecated|conflicting)\\b (?:or (?:missing|invalid) )?(?:\\S+ ){0,2}?['"\`]?(?:${PARAMETER})`),
  new RegExp(`\\b(?:${PARAMETER})\\b['"\`:]?(?:[^.]|\\.(?! )){0,60}\\b(?:not supported|unsupported|not permitted|not allowed|is (?:invalid|illegal|incorrect)|not valid|must be|must not|should be|cannot be|is required|required|is missing|too large|too small|too high|out of range|exceeds?|does not support|incompatible|not enabled)\\b`),
  /\bdoes not support (?:the )?(?:reasoning|thinking|assistant message prefill|prefill|system|temperature|parameter|response_format|structured|json|streaming|developer)/,
  /\bextra inputs are not permitted\b|\bfield required\b|\bmissing one or multiple required\b|\bmust be (?:less|greater|smaller|larger) than\b/,
  /\bis not of type\b|\binput should be\b|\bvalidation errors? for\b|\bunprocessable\b/,
  /\btool_use_id|\btool_call_id|\btool_calls?\b.{0,80}\b(?:must|preceding|followed|without|missing|response)|\btool_result\b/,
  /\broles? must alternate|\bconversation roles\b|\b(?:first|last|final) message\b.{0,40}\b(?:must|is not|should|cannot)/,
  /\bfunction response parts\b|\bthought_signature|\breasoning_content\b|\bthinking(?:`)? blocks?\b|\bmessages?(?:\.|\[)\d+/,
  /\bsystem prompt\b.{0,40}\b(?:must|not|first)\b|\bimage exceeds|\bimage dimensions|\bcould not process image|\binvalid image/,
  /\b(?:could not|failed to|cannot|unable to) (?:parse|deserialize|decode) (?:the )?(?:json|request|body|your)|\binvalid json\b/,
  /\binvalid request body\b|\bjson parse error\b|\binvalid schema\b|\binvalid_?function_?parameters/,
  /参数.{0,12}(?:错误|非法|无效|缺失|不合法|有误|异常|不正确|不支持|超出|不能)|(?:缺少|缺失|非法|无效|错误)(?:的)?.{0,8}(?:参数|字段)|请求(?:格式|参数|体).{0,4}(?:错误|有误|不正确|无效)|(?:不能|无法)同时设置/,
  /必须.{0,10}(?:交替|以user)|消息(?:格式|顺序)/,
]
