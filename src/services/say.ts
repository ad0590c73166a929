/** Texts of the host half, by dotted key, with `{name}` places filled. */
import type { Say } from '../domain/honest.ts'

/** Nested texts of one language. */
export interface Texts { readonly [key: string]: string | Texts }

/** An unknown key reads as itself: a missing text must not cost a user the rest of the sentence. */
export function speaker(texts: { readonly en: Texts; readonly zh: Texts }): (language: 'zh' | 'en') => Say {
  const find = (language: 'zh' | 'en', key: string): string => {
    let at: string | Texts | undefined = texts[language]
    for (const step of key.split('.')) at = typeof at === 'object' ? at[step] : undefined
    return typeof at === 'string' ? at : key
  }
  return (language) => (key, facts) => find(language, key).replaceAll(/\{(\w+)\}/g, (place, name: string) => String(facts?.[name] ?? place))
}
