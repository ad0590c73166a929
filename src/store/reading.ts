/** Reading a document's file: what it says, and what may be done with the file when it says nothing usable. */
import type * as z from 'zod'
import type { StoreProblem } from '../ports.ts'
import type { DocumentEnv, DocumentSpec } from './document.ts'
import { errorCode, setAside } from './files.ts'

/** `owed`: the value came from elsewhere than the file and has to be written. */
export interface Reading<T> {
  readonly value: T
  readonly existed: boolean
  readonly readOnly: boolean
  readonly owed: boolean
  readonly problem: StoreProblem | null
}

/** Reads the file of a document. Never rejects and never writes over it; at most it moves a broken one away. */
export async function readDocument<T>(spec: DocumentSpec<T>, path: string, env: DocumentEnv): Promise<Reading<T>> {
  const report = (problem: string): StoreProblem => {
    env.log.warn('%s: %s', spec.name, problem)
    return { file: spec.name, problem, at: env.time.now() }
  }
  const memoryOnly = (problem: string, value = spec.initial): Reading<T> => ({ value, existed: true, readOnly: true, owed: false, problem: report(problem) })
  let bytes: Uint8Array
  try {
    bytes = await env.files.readFile(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { value: spec.initial, existed: false, readOnly: false, owed: false, problem: null }
    return memoryOnly(`cannot be read (${code}); it is left alone, defaults are used and nothing is saved`)
  }
  const content = decode(bytes)
  if (content.ok) {
    const version = versionOf(content.json)
    if (version !== null && version > spec.version) {
      return memoryOnly(`has version ${version}, this plugin knows ${spec.version}; it is left alone and not written`, lenient(spec, content.json))
    }
    const parsed = spec.schema.safeParse(content.json)
    if (parsed.success) return { value: parsed.data as T, existed: true, readOnly: false, owed: false, problem: null }
    const older = version === null ? readOlder(spec, content.json, (what) => { env.log.warn('%s: %s', spec.name, what) }) : null
    if (older !== null) return upgraded(older)
    return broken(firstIssue(parsed.error))
  }
  return broken(content.why)

  async function broken(why: string): Promise<Reading<T>> {
    const target = await setAside(env.files, path, 'broken', env.time.now())
    if (target === null) return memoryOnly(`is broken (${why}) and cannot be set aside; it is left alone and nothing is saved`)
    return { value: spec.initial, existed: true, readOnly: false, owed: false, problem: report(`was broken (${why}); kept as ${fileName(target)}, defaults are used`) }
  }

  async function upgraded(value: T): Promise<Reading<T>> {
    const target = await setAside(env.files, path, 'older', env.time.now())
    if (target === null) return memoryOnly('has an older form and cannot be set aside; it is used but nothing is saved', value)
    return { value, existed: true, readOnly: false, owed: true, problem: report(`had an older form; kept as ${fileName(target)} and carried over`) }
  }
}

type Content = { readonly ok: true; readonly json: unknown } | { readonly ok: false; readonly why: string }

/** Bytes to JSON; a byte-order mark of an editor is tolerated, bytes that are no UTF-8 are not. */
function decode(bytes: Uint8Array): Content {
  let text: string
  try { text = new TextDecoder('utf-8', { fatal: true }).decode(bytes) } catch { return { ok: false, why: 'not UTF-8' } }
  try { return { ok: true, json: JSON.parse(text) as unknown } } catch { return { ok: false, why: text.trim() === '' ? 'empty' : 'not JSON' } }
}

function versionOf(json: unknown): number | null {
  return typeof json === 'object' && json !== null && 'version' in json && typeof json.version === 'number' ? json.version : null
}

function readOlder<T>(spec: DocumentSpec<T>, json: unknown, skip: (what: string) => void): T | null {
  if (!spec.older || (typeof json === 'object' && json !== null && 'version' in json)) return null
  try { return spec.older(json, skip) } catch { return null /* not that older form either: it is a broken file */ }
}

/** What a newer file says, as far as this version understands it: fields it does not know are passed over. */
function lenient<T>(spec: DocumentSpec<T>, json: unknown): T {
  const copy = { ...structuredClone(json) as object, version: spec.version }
  for (let round = 0; round < 3; round++) {
    const parsed = spec.schema.safeParse(copy)
    if (parsed.success) return parsed.data as T
    if (!dropUnknown(copy, parsed.error)) break
  }
  return spec.initial
}

function dropUnknown(root: object, error: z.ZodError): boolean {
  let dropped = false
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') continue
    let at: unknown = root
    for (const step of issue.path) at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined
    if (typeof at !== 'object' || at === null) continue
    for (const key of issue.keys) dropped = Reflect.deleteProperty(at, key) || dropped
  }
  return dropped
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0]
  if (!issue) return 'not what it should hold'
  const at = issue.path.map(String).join('.')
  return at === '' ? issue.message : `${at}: ${issue.message}`
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
