/** Wording of calls that broke on the way or inside the upstream, in folded text. */

/** Waited too long, in the upstream or on this side. */
export const TIMED_OUT = [
  /\btime(?:d|s)?[ -]?out\b|\btimeout\w*|\bdeadline[ _]?exceeded\b|\bexceeded (?:the )?(?:deadline|maximum (?:execution|response) time)/,
  /\bund_err_(?:headers|body)_timeout\b|\b\w+timeout(?:error|exception)\b|\btook too long\b|\bstalled?\b/,
  /\bno (?:data|response|chunks?|tokens?|bytes|output|activity) (?:was |were )?(?:received |produced )?(?:for|within|in|after) \d/,
  /超时|未在.{0,12}内(?:响应|返回)|长时间(?:未|没有|无)(?:响应|返回)/,
]

/** The connection stood and no answer came through it. */
export const NO_ANSWER = [/\b(?:headers?|body|response|read|first[ -]?byte|first[ -]?token)[ _]?time-?d?[ -]?out/]

/** The connection could not be made: said even where the word "timeout" stands beside it. */
export const NO_CONNECTION = [
  /\beconnrefused\b|\benotfound\b|\beai_again\b|\behostunreach\b|\benetunreach\b|\benetdown\b|\beaddrnotavail\b|\bgetaddrinfo\b|\bdns\b/,
  /\bname or service not known\b|\bname resolution\b|\bnodename nor servname\b|\bno route to host\b|\bcould not resolve\b|\bno such host\b/,
  /\bfailed to resolve\b|\bmax retries exceeded with url\b/,
  /\bcertificate\b|\bself[- ]signed\b|\bssl\b|\btls\b|\bhandshake\b|\bx509\b|\bcert_\w+|\bunable_to_(?:verify|get)|\bwrong version number\b|\beproto\b/,
  /\bfetch failed\b|\bfailed to fetch\b|\bconnect(?:ion)? time(?:d )?-?out\b|\bconnect etimedout\b|\bund_err_connect_timeout\b|\bconnecttimeout/,
  /\ball connection attempts failed\b|\bcannot connect to\b|\berror sending request\b|\bfailed to (?:connect|establish)\b/,
  /\bconnection (?:refused|error|failed|could not be)\b|\bunable to connect\b|\bdial tcp\b|\bapiconnectionerror\b|\bclientconnectorerror\b/,
  /\bproxy(?:error| error| connect)/,
  /连接(?:失败|被拒|错误|异常|不上)|无法(?:连接|访问(?:到)?(?:服务器|网络))|网络(?:错误|异常|不可达|连接|不通|波动)|域名解析|证书/,
]

/** The connection broke while it was in use. */
export const BROKEN_CONNECTION = [
  /\beconnreset\b|\bepipe\b|\beconnaborted\b|\berr_stream\w*|\brst_stream\b|\bgoaway\b|\bund_err_(?:socket|aborted|closed|destroyed)\b/,
  /\berr_http2\w*|\bbroken pipe\b|\bsocket (?:hang up|closed|disconnected|error)|\bhttp\/?2 (?:stream|request|session|error)/,
  /\b(?:connection|socket|stream|session|websocket|response|request)\b(?:[^.]|\.(?! )){0,40}\b(?:reset|closed|lost|aborted|terminated|interrupted|disconnected|broken|dropped|hung up|ended|cut off|truncated|incomplete|destroyed|cancell?ed|severed)\b/,
  /^(?:\w+: )?(?:terminated|aborted)\b|\bpremature(?:ly)? (?:close|end|eof|closed|ended)|\bpremature close\b|\bother side closed\b/,
  /\bunexpected (?:eof|end of (?:file|stream|data|response))\b|\bincomplete (?:chunked|read|response|message)\b|\bpeer closed\b/,
  /\bwithout (?:sending )?complete\b|\bnetwork (?:error|failure|changed|connection|socket|request failed|is unreachable|interrupt\w*)\b/,
  /\bnetworkerror\b|\bserver disconnected\b|\bremoteprotocolerror\b|\bempty_stream\b/,
  /\b(?:error|failure) (?:decoding|reading) (?:the )?response body\b|\bended (?:before|without)\b/,
  /\b(?:user|operation|request|call|signal|this) (?:was |is )?aborted\b|\buser aborted\b|\baborterror\b|\bcontext cancell?ed\b/,
  /(?:连接|流|传输|响应).{0,8}(?:重置|中断|断开|关闭|终止|提前结束|意外结束|丢失)/,
]

/** The upstream failed by itself and says so. */
export const SERVER_FAULT = [
  /\binternal (?:server )?error\b|\bserver (?:had an |encountered an |)error\b|\bserver_error\b|\bbad gateway\b/,
  /\bservice (?:is )?(?:temporarily |currently )?unavailable\b|\bservice_?unavailable|\bsomething went wrong\b/,
  /\ban? (?:unexpected|unknown|internal) (?:server )?(?:error|exception)\b|\binternalservererror\b|\bapi_error\b/,
  /\bupstream (?:request |server )?(?:error|failed|failure)\b|\bcuda\b|\bout of memory\b|\bsystem error\b|\btemporarily unavailable\b/,
  /\btry again in a few\b|\bfinish_reason: network|\bunder maintenance\b|\bserver is down\b/,
  /(?:服务器?|系统|内部|后台|服务端|模型|推理)(?:内部)?.{0,6}(?:错误|异常|故障|出错|开小差)|服务(?:暂时|临时|暂)?不可用|未知错误|请求(?:处理)?失败|维护中/,
]

/** The call ended well and held nothing. */
export const NOTHING_CAME = [
  /\bempty (?:response|completion|reply|content|message|output|body|choices|candidates|result)\b/,
  /\b(?:no|without(?: any)?|zero|not (?:return|contain|produce) any|null) (?:\w+ )?(?:content|choices|candidates|output|completion|text|generations?|response body|message content)\b(?:[^.]|\.(?! )){0,30}\b(?:returned|generated|received|produced|in the response|from|found|was|were)\b/,
  /\breturned (?:no|an? empty|empty|nothing)\b|\bno (?:output|content|response) (?:was )?(?:generated|returned|received|from)\b/,
  /\bempty_response\b|\bmodel returned nothing\b|\bblank response\b|\bno response from (?:the )?model\b|\bnooutputgenerated\w*/,
  /\bno_?content_?generated\w*|\bresponse (?:was|is) empty\b|\bwithout (?:any |valid )?(?:content|output|text)\b/,
  /空(?:的)?(?:响应|回复|内容|返回|结果)|(?:返回|响应|回复|输出)(?:的)?(?:内容)?为空|未返回(?:任何)?(?:内容|结果)|没有返回(?:任何)?内容/,
]

/** Something came, but not what a model answers with. */
export const GARBLED = [
  /\bmalformed\b|\b(?:unknown|unexpected|invalid) finish[ _]reason\b|\bunexpected token\b.{0,60}\bjson\b|\bis not valid json\b/,
  /\bunexpected (?:end of json|non-whitespace)/,
  /\b(?:invalid|bad|unparsable|unparseable|corrupt\w*|garbled) (?:json|response|sse|chunk|stream|output|payload|event|tool call|model output)\b/,
  /\b(?:failed|unable|could not|cannot|error) (?:to )?(?:pars|decod|unmarshal|deserializ)\w+|\btype ?validation\w*\b|\bjsonparse\w*/,
  /\bjsondecodeerror\b|\bexpecting value\b|\bbad_response_body\b|\bunmarshal\w*\b|\bapiresponsevalidationerror\b/,
  /\bunexpected (?:response|content[ -]type|message type)\b|\bmalformed_function_call\b|\bdecoding error\b/,
  /(?:解析|反序列化|解码).{0,8}(?:失败|错误|异常)|(?:格式|响应|返回).{0,4}(?:异常数据|格式错误|不合法)|乱码/,
]
