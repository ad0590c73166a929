/** Finds the neighbours in a running host by shape: account pool, codearts entry and its account states, compactor. */
import { isRecord, type HostContext } from '../shapes.ts'

/** The global by which billion-context says what it does in this process. */
export const VERDICT_GLOBAL = '__BILI_DSH_COMPACTION_VERDICT__'
/** The mark its request rerouting leaves on the global object. */
export const INTERCEPT_MARK = Symbol.for('billion-context.native-fetch-intercept')

type Globals = Readonly<Record<PropertyKey, unknown>>
const here: Globals = globalThis

/** True while billion-context is the compactor of this process (the host's own one is off then). */
export function compactorActive(globals: Globals = here): boolean {
  return globals[VERDICT_GLOBAL] === 'active'
}

/** True when requests of this process may pass through that compactor: it is active, or has rerouted `fetch`. */
export function compactorPresent(globals: Globals = here): boolean {
  return compactorActive(globals) || globals[INTERCEPT_MARK] === true
}

/** The `accountPool` service as it is now. Its shape is checked by the user of it. */
export function accountPool(ctx: HostContext): unknown {
  return read(ctx, 'accountPool')
}

/** Account states that a codearts plugin may publish as a service; null when it keeps them to itself. */
export function codeartsAccounts(ctx: HostContext): unknown {
  for (const name of ['codearts', 'codeartsPool', 'codeartsAccounts']) {
    const found = read(ctx, name)
    if (Array.isArray(found)) return found
    if (!isRecord(found)) continue
    for (const method of ['list', 'status', 'accounts']) {
      const member = found[method]
      if (typeof member === 'function') return Reflect.apply(member, found, []) as unknown
      if (Array.isArray(member)) return member
    }
  }
  return null
}

/**
 * The one loader entry that carries the codearts provider: named `dsh-codearts` (package, folder or row id), else the
 * only running entry whose name, id or plugin name speaks of codearts. Null when there is none or a choice to guess.
 */
export function codeartsEntry(ctx: HostContext): { restart(): Promise<unknown> } | null {
  const running = entriesOf(read(ctx, 'loader')).flatMap((entry) => {
    const fiber = entry.fiber
    return isRecord(fiber) && typeof fiber.restart === 'function' && !isDisabled(entry) ? [{ words: wordsOf(entry, fiber), fiber }] : []
  })
  const exact = running.filter(({ words }) => words.some(isCodeartsPackage))
  const loose = running.filter(({ words }) => words.some((word) => /codearts/i.test(word)))
  const chosen = exact.length > 0 ? exact : loose
  const [only] = chosen
  if (!only || chosen.length > 1) return null
  const restart = only.fiber.restart as () => unknown
  return { restart: async () => Reflect.apply(restart, only.fiber, []) }
}

function isDisabled(entry: Record<string, unknown>): boolean {
  try { return entry.disabled === true } catch { return true /* its condition cannot be evaluated now */ }
}

function isCodeartsPackage(word: string): boolean {
  return word.split(/[\\/]/).some((part) => /^(?:dsh-codearts|llm-codearts|codearts)$/i.test(part))
}

function entriesOf(loader: unknown): Record<string, unknown>[] {
  if (!isRecord(loader) || typeof loader.entries !== 'function') return []
  try {
    const entries: unknown = Reflect.apply(loader.entries, loader, [])
    return isRecord(entries) && Symbol.iterator in entries ? [...(entries as Iterable<unknown>)].filter(isRecord) : []
  } catch { return [] /* a loader in the middle of a change */ }
}

function wordsOf(entry: Record<string, unknown>, fiber: Record<string, unknown>): string[] {
  const options = isRecord(entry.options) ? entry.options : {}
  return [options.name, options.id, entry.id, fiber.name].filter((word): word is string => typeof word === 'string')
}

function read(ctx: HostContext, name: string): unknown {
  try { return ctx.get(name) } catch { return null /* hosts that guard undeclared services throw here */ }
}
