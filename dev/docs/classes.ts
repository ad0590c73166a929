// What happens after a failure, class by class: read off the code that decides it, with examples that the classifier confirms.
import en from '../../locale/en.json' with { type: 'json' }
import zh from '../../locale/zh.json' with { type: 'json' }
import { readConfig } from '../../src/contract/config.ts'
import { failureClassSchema, type Failure, type FailureClass } from '../../src/contract/failure.ts'
import { classify } from '../../src/domain/classify.ts'
import { CLASS_RULES, consequences, type ClassRule } from '../../src/domain/consequences.ts'
import { patienceFor } from '../../src/domain/patience.ts'
import { code, table, type Language } from './page.ts'

const CLASSES: readonly FailureClass[] = failureClassSchema.options
const CONFIG = readConfig({}).config

/** One failure of each class that people meet; shown as it is judged. */
const EXAMPLES: Readonly<Record<FailureClass, Failure>> = {
  cancelled: { aborted: true },
  context_too_long: { status: 400, message: 'prompt is too long' },
  invalid_request: { status: 400, message: "Unsupported value: 'temperature' does not support 7" },
  unsupported_modality: { status: 400, message: 'This model does not support image input' },
  content_filter: { status: 400, message: 'The request was rejected by our content policy' },
  capacity: { status: 529, message: 'Overloaded' },
  rate_limit: { status: 429, message: 'Rate limit reached for requests' },
  quota: { status: 402, message: 'Insufficient Balance' },
  auth: { status: 401, message: 'Incorrect API key provided' },
  forbidden: { status: 403, message: 'Your plan does not include access to this model' },
  model_not_found: { status: 404, message: 'The model does not exist' },
  upstream_unavailable: { status: 400, message: 'The requested model is currently unavailable' },
  transport: { message: 'fetch failed' },
  server: { status: 500, message: 'The server had an error while processing your request' },
  timeout: { status: 504, message: 'Upstream request timed out' },
  empty_response: { code: 'EMPTY_RESPONSE', message: 'no content' },
  bad_output: { code: 'STREAM_CLOSED', message: '' },
  local: { code: 'NO_ADAPTER', message: 'no adapter serves this provider' },
  unknown: { message: 'anything else' },
}

const NAMES = { en: en.host.class, zh: zh.host.class }
const HEADS = {
  en: ['failure', 'for example', 'the session moves', 'what is remembered', 'what ends it'],
  zh: ['失败', '例如', '会话何时换走', '记住什么', '何时解除'],
} as const

/** The table of the readme. */
export function classTable(language: Language): string {
  const say = WORDS[language]
  return table(HEADS[language], CLASSES.map((each) => [`${NAMES[language][each]} ${code(each)}`, exampleOf(each, say), say.moves[movesOf(each)], remembered(each, say), ended(each, say)]))
}

function exampleOf(each: FailureClass, say: Words): string {
  const failure = EXAMPLES[each]
  const judged = classify(failure, 0).class
  if (judged !== each) throw new Error(`the example of ${each} is judged as ${judged}`)
  if (failure.aborted) return say.aborted
  return code([failure.status ?? failure.code, failure.message].filter((part) => part).join(' '))
}

type Moves = 'never' | 'larger' | 'at-once' | 'first' | 'host-first' | 'other-endpoint'

function movesOf(each: FailureClass): Moves {
  const rule = CLASS_RULES[each]
  if (rule.move === 'no') return 'never'
  if (rule.move === 'larger-window') return 'larger'
  if (rule.move === 'other-endpoint') return 'other-endpoint'
  const patience = patienceFor({ class: each, hostRetries: true, mode: 'normal', held: false, failures: 1, patience: CONFIG.patience })
  if (patience !== 'at-once') return 'host-first'
  return each === 'timeout' ? 'first' : 'at-once'
}

/** What a failure without a stated reset leaves behind by default. */
function effectOf(each: FailureClass): ReturnType<typeof consequences> {
  return consequences({ ...classify(EXAMPLES[each], 0), class: each, reset: null }, CONFIG, 0)
}

function remembered(each: FailureClass, say: Words): string {
  const effect = effectOf(each)
  const parts = [
    effect.rejection ? say.rejection : null,
    effect.restUntil === null ? null : say.rest(say.span(effect.restUntil)),
    effect.hold === null ? null : say.hold(effect.hold.scope, say.span(effect.hold.until)),
    effect.mark === 'never' ? null : effect.mark === 'final' ? say.mark : say.markEscaped,
    effect.plainWeight > 0 ? say.breaker : null,
    effect.structuralScope === null ? null : say.health[effect.structuralScope],
  ].filter((part) => part !== null)
  return parts.length === 0 ? say.nothing : parts.join(say.comma)
}

function ended(each: FailureClass, say: Words): string {
  const rule: ClassRule = CLASS_RULES[each]
  const effect = effectOf(each)
  if (rule.hold === 'none') return say.nothing
  if (effect.rejection) return say.endsRejection
  const parts = [
    effect.mark === 'never' ? null : rule.probed ? say.endsProbed : say.endsDay,
    effect.hold === null && effect.restUntil === null ? null : say.endsTime,
    each === 'auth' ? say.endsKey : null,
    each === 'local' ? say.endsRegistry : null,
  ].filter((part) => part !== null)
  return parts.join(say.comma)
}

interface Words {
  readonly aborted: string
  readonly nothing: string
  readonly comma: string
  readonly moves: Readonly<Record<Moves, string>>
  readonly rejection: string
  rest(span: string): string
  hold(scope: 'route' | 'provider', span: string): string
  readonly mark: string
  readonly markEscaped: string
  readonly breaker: string
  readonly health: Readonly<Record<'route' | 'endpoint', string>>
  readonly endsRejection: string
  readonly endsProbed: string
  readonly endsDay: string
  readonly endsTime: string
  readonly endsKey: string
  readonly endsRegistry: string
  span(ms: number): string
}

const spanIn = (units: readonly [hour: string, minute: string, second: string]) => (ms: number): string => {
  for (const [at, size] of [3_600_000, 60_000, 1000].entries()) if (ms >= size && ms % size === 0) return `${ms / size} ${units[at]}`
  return `${ms} ms`
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    aborted: 'you press stop',
    nothing: '–',
    comma: '; ',
    moves: {
      never: 'never', larger: 'to a larger window, when the host\'s compaction gives up', 'at-once': 'at once', first: 'after the first',
      'host-first': 'when the host\'s retries give up', 'other-endpoint': 'when the host\'s retries give up, another endpoint first',
    },
    rejection: 'this history is not sent to that model again',
    rest: (span) => `the model rests for ${span}`,
    hold: (scope, span) => `the ${scope === 'route' ? 'model' : 'provider'} is held for ${span}`,
    mark: 'failed for the usage day',
    markEscaped: 'failed for the usage day, if retries had been used up',
    breaker: 'weighs on its breaker',
    health: { route: 'counts as a structural failure of the model', endpoint: 'counts as a structural failure of the endpoint' },
    endsRejection: 'a hand-pick, or a history that has shrunk below what was refused',
    endsProbed: 'the usage day, a good turn, two good probes, or your hand',
    endsDay: 'the usage day, a good turn, or your hand',
    endsTime: 'its time',
    endsKey: 'a new key of that provider',
    endsRegistry: 'a change of the host\'s providers',
    span: spanIn(['h', 'min', 's']),
  },
  zh: {
    aborted: '你按了停止',
    nothing: '–',
    comma: '；',
    moves: {
      never: '不换', larger: '宿主压缩不成之后，换到更大的窗口', 'at-once': '立即', first: '第一次之后',
      'host-first': '宿主放弃重试后', 'other-endpoint': '宿主放弃重试后，优先换接口地址',
    },
    rejection: '这段历史不再发给该模型',
    rest: (span) => `模型暂停 ${span}`,
    hold: (scope, span) => `${scope === 'route' ? '模型' : '整个供应商'}停用 ${span}`,
    mark: '记为当日失败',
    markEscaped: '重试用尽时记为当日失败',
    breaker: '计入熔断',
    health: { route: '记一次模型的结构性失败', endpoint: '记一次接口地址的结构性失败' },
    endsRejection: '手动选回，或历史缩短到被拒时的长度以下',
    endsProbed: '换日、成功完成一轮、两次成功的探测，或手动恢复',
    endsDay: '换日、成功完成一轮，或手动恢复',
    endsTime: '时间到',
    endsKey: '该供应商换了密钥',
    endsRegistry: '宿主的供应商有变动',
    span: spanIn(['小时', '分钟', '秒']),
  },
}
