// The reference of the row config: every key with its default, its range and its meaning, from the contract.
import { allowed, CONFIG_KEYS, configSchema } from '../../src/contract/config.ts'
import { CONFIG_ZH } from './chinese.ts'
import { code, table, type Language } from './page.ts'
import { wholeJson } from './schema.ts'

const HEADS = { en: ['key', 'default', 'range', 'meaning'], zh: ['键', '默认值', '取值', '含义'] } as const

/** One row per key, in the order of the contract. */
export function configTable(language: Language): string {
  return table(HEADS[language], CONFIG_KEYS.map((key) => [code(key), defaultOf(key, language), rangeOf(key, language), meaningOf(key, language)]))
}

function fieldOf(key: string): ReturnType<typeof wholeJson> {
  return wholeJson((configSchema.shape as Readonly<Record<string, Parameters<typeof wholeJson>[0]>>)[key] ?? configSchema)
}

function meaningOf(key: string, language: Language): string {
  const english = fieldOf(key).description
  if (!english) throw new Error(`${key} has no description in the contract`)
  if (language === 'en') return english
  const known = CONFIG_ZH[key]
  if (!known) throw new Error(`dev/docs/chinese.ts says nothing about ${key}`)
  if (known.of !== english) throw new Error(`the meaning of ${key} has changed to "${english}"; dev/docs/chinese.ts translates "${known.of}"`)
  return known.zh
}

const NONE = { en: 'none', zh: '无' } as const

function defaultOf(key: string, language: Language): string {
  const value = fieldOf(key).default
  if (value === undefined) return NONE[language]
  if (Array.isArray(value)) return value.length === 0 ? code('[]') : value.map((one) => code(String(one))).join(' ')
  const shown = code(JSON.stringify(value))
  return typeof value === 'number' && value > 0 && /Ms$|_ms$/.test(key) ? `${shown} (${span(value, language)})` : shown
}

const UNITS = { en: ['h', 'min', 's'], zh: ['小时', '分钟', '秒'] } as const

function span(ms: number, language: Language): string {
  for (const [at, size] of [3_600_000, 60_000, 1000].entries()) if (ms % size === 0) return `${ms / size} ${UNITS[language][at]}`
  return `${ms} ms`
}

const RANGE_ZH: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/a whole number, /g, '整数 '],
  [/true or false/g, 'true 或 false'],
  [/must be one of (.+)/g, '$1 之一'],
  [/a list of \{provider, model\}/g, '{provider, model} 的列表'],
  [/a list of texts/g, '文本列表'],
  [/a text that is not empty/g, '非空文本'],
  [/ or (?=整)/g, ' 或 '],
]

function rangeOf(key: string, language: Language): string {
  const english = allowed(key) ?? ''
  if (language === 'en') return english.replace(/^must be /, '').replace(/^a (?=whole|list|text)/, '')
  return RANGE_ZH.reduce((text, [from, to]) => text.replaceAll(from, to), english)
}
