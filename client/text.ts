/** The texts of the page in the host's language; every word a person reads comes from the locale files. */
import { signal } from '@preact/signals'
import { host as hostEn, meta as metaEn, ui as en } from '../locale/en.json'
import { host as hostZh, meta as metaZh, ui as zh } from '../locale/zh.json'

export type Language = 'zh' | 'en'
export type TextKey = keyof typeof en

const tables: Readonly<Record<Language, Readonly<Record<string, string>>>> = { zh, en }

/** The language in force; set by the entry from the host's choice. */
export const language = signal<Language>('en')

/** `zh` for every kind of Chinese, else English. */
export function languageOf(id: string): Language {
  return /^zh\b/i.test(id) ? 'zh' : 'en'
}

function fill(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, key: string) => (key in params ? String(params[key]) : whole))
}

/** The text of a key; `{name}` is replaced by `params.name`. */
export function t(key: TextKey, params: Readonly<Record<string, unknown>> = {}): string {
  return fill(tables[language.value][key] ?? en[key], params)
}

/** The text of a key that is made at run time, or `otherwise` when the locale has none. */
export function word(key: string, otherwise: string, params: Readonly<Record<string, unknown>> = {}): string {
  const found = tables[language.value][key]
  return found === undefined ? otherwise : fill(found, params)
}

/** The plugin's name in the language in force. */
export function title(): string {
  return (language.value === 'zh' ? metaZh : metaEn).title
}

/** The name of a failure class; the host half tells classes in the same words. */
export function classText(kind: string): string {
  const names: Readonly<Record<string, string>> = (language.value === 'zh' ? hostZh : hostEn).class
  return names[kind] ?? kind
}
