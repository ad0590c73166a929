/**
 * The line that lets a process see the encryptor a bundle keeps to itself: found, judged and inserted in source text.
 * The insertion is one line without quotes, so even at a wrong place (a comment, a string) it could not break the file.
 */

/** Name of the global by which a bundle hands out its encryptor class. */
export const HOOK_GLOBAL = '__mfQoderEncryptor'
/** What belongs right behind the opening brace of the class. A static block runs once the class is complete. */
export const HOOK_LINE = `static { globalThis.${HOOK_GLOBAL} = this; }`

export type HookVerdict =
  | { readonly state: 'ok' }
  /** A hook is there but hands out something else. */
  | { readonly state: 'stale' }
  /** No hook; `insertAt` is the one place for it, or null with the reason. */
  | { readonly state: 'missing'; readonly insertAt: number | null; readonly why: string }

interface Head { readonly names: readonly string[]; readonly bodyStart: number }

const HEAD = /(?:\b([\w$]+)\s*=\s*)?\bclass\b(?:\s+(?!extends\b)([\w$]+))?(?:\s+extends\s+[\w$.]+)?\s*\{/g
const HOOK = new RegExp(String.raw`\bglobalThis\s*(?:\.\s*${HOOK_GLOBAL}|\[\s*["'\x60]${HOOK_GLOBAL}["'\x60]\s*\])\s*(?:\?\?|\|\|)?=(?!=)\s*([\w$]+)`, 'g')
const CLASS_NAME = /^_?QoderEncryptedInfer\d*$/

/** Judges one bundle's text. */
export function inspectHook(text: string): HookVerdict {
  const heads = [...classes(text)]
  const encryptors = heads.filter(({ names }) => names.some((name) => CLASS_NAME.test(name)))
  const hooks = [...text.matchAll(HOOK)].filter((match) => !commented(text, match.index))
  if (hooks.length > 0) return hooks.some((match) => pointsAt(text, match, encryptors, heads)) ? { state: 'ok' } : { state: 'stale' }
  const [only] = encryptors
  if (!only) return { state: 'missing', insertAt: null, why: 'the class QoderEncryptedInfer was not found' }
  if (encryptors.length > 1) return { state: 'missing', insertAt: null, why: `the class QoderEncryptedInfer stands at ${encryptors.length} places` }
  if (!holdsMethod(text, only)) return { state: 'missing', insertAt: null, why: 'the class QoderEncryptedInfer has no method prepareInfer' }
  return { state: 'missing', insertAt: only.bodyStart, why: '' }
}

/** The text with the hook at the place {@link inspectHook} named. */
export function insertHook(text: string, insertAt: number): string {
  return `${text.slice(0, insertAt)} ${HOOK_LINE}${text.slice(insertAt)}`
}

function* classes(text: string): Generator<Head> {
  for (const match of text.matchAll(HEAD)) {
    if (commented(text, match.index)) continue
    yield { names: [match[1], match[2]].filter((name): name is string => name !== undefined), bodyStart: match.index + match[0].length }
  }
}

/** True when a hook hands out an encryptor: by name, or as `this` inside the class, or a renamed class that can prepare. */
function pointsAt(text: string, match: RegExpExecArray, encryptors: readonly Head[], heads: readonly Head[]): boolean {
  const target = match[1] ?? ''
  if (target === 'this') {
    const around = heads.findLast((head) => head.bodyStart <= match.index)
    return around !== undefined && (encryptors.includes(around) || holdsMethod(text, around))
  }
  if (encryptors.some(({ names }) => names.includes(target))) return true
  return CLASS_NAME.test(target) || heads.some((head) => head.names.includes(target) && holdsMethod(text, head))
}

/** A method `prepareInfer(` before the next class begins, or within a generous length. */
function holdsMethod(text: string, head: Head): boolean {
  const body = text.slice(head.bodyStart, head.bodyStart + 60_000)
  const method = /(?:^|[\s;{}*/])prepareInfer\s*\(\s*[\w$]*\s*\)\s*\{/.exec(body)
  return method !== null && !/\bclass\s+[\w$]+\s*(?:extends\s+[\w$.]+\s*)?\{/.test(body.slice(0, method.index))
}

/** True when the line up to there opens a comment. A place that is doubtful for another reason is harmless. */
function commented(text: string, index: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', index - 1) + 1, index)
  return /(?:^|\s)\/\/|^\s*\*|\/\*(?!.*\*\/)/.test(line)
}
