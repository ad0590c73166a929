/**
 * What must outlive one load of the plugin: the listening server, the replaced methods and the requests under way. It
 * hangs on the global object, so that a reload takes it over instead of cutting connections; when nobody takes it over
 * within a grace period it undoes everything itself.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Ask } from './ask.ts'
import type { Exchange } from './exchange.ts'
import type { Prepared } from './upstream.ts'

export const SLOT_KEY = Symbol.for('model-failover.qoder-shim/1')
/** How long a slot without an owner waits for the next load, in ms. */
export const GRACE_MS = 1000
/** Requests older than this (ms since their last use) are forgotten; at most {@link ENTRY_LIMIT} are kept. */
export const ENTRY_TTL_MS = 120_000
export const ENTRY_LIMIT = 256
/** Requests whose encrypted form is kept, so that an exact re-send goes out as the same bytes. */
const KEEP_PREPARED = 8

export type Prepare = (this: unknown, ...args: unknown[]) => unknown
export type Globals = Record<PropertyKey, unknown>

/** One rerouted request: what is needed to encrypt it again. `usedAt` is a steady clock in ms. */
export interface Entry {
  readonly encryptor: unknown
  readonly original: Prepare
  readonly ask: Ask
  readonly rest: readonly unknown[]
  usedAt: number
  sent: { readonly digest: string; readonly prepared: Prepared } | null
}

/** What the current load of the plugin does; null between two loads. */
export interface Implementation {
  intercept(encryptor: unknown, original: Prepare, args: readonly unknown[]): unknown
  handle(req: IncomingMessage, res: ServerResponse): void
}

export interface Counters {
  intercepted: number
  forwarded: number
  compacted: number
  folded: number
  fallback: number
  seenRequests: number
  lastError: string | null
  lastAt: number | null
  exchanges: Exchange[]
}

export interface Slot {
  owner: symbol | null
  implementation: Implementation | null
  /** The last handler; requests under way between two loads still find it. */
  handler: Implementation['handle'] | null
  server: Server | null
  port: number | null
  readonly entries: Map<string, Entry>
  readonly patches: Map<object, Patch>
  readonly counters: Counters
  adopted: unknown
  adoptedAt: number | null
  grace: NodeJS.Timeout | null
}

interface Patch { readonly label: string; readonly original: Prepare; readonly replacement: Prepare }

/** The slot of this process, made at first use. */
export function openSlot(globals: Globals): Slot {
  const found = globals[SLOT_KEY] as Slot | undefined
  if (found) return found
  const slot: Slot = {
    owner: null, implementation: null, handler: null, server: null, port: null, entries: new Map(), patches: new Map(),
    counters: { intercepted: 0, forwarded: 0, compacted: 0, folded: 0, fallback: 0, seenRequests: 0, lastError: null, lastAt: null, exchanges: [] },
    adopted: null, adoptedAt: null, grace: null,
  }
  globals[SLOT_KEY] = slot
  return slot
}

/** The slot if this process has one. */
export function peekSlot(globals: Globals): Slot | null {
  return (globals[SLOT_KEY] as Slot | undefined) ?? null
}

/** The new load takes the slot; the grace period of the former one ends without effect. */
export function claim(slot: Slot, owner: symbol, implementation: Implementation): void {
  if (slot.grace) clearTimeout(slot.grace)
  slot.grace = null
  slot.owner = owner
  slot.implementation = implementation
  slot.handler = (req, res) => implementation.handle(req, res)
}

/** The load goes; new requests go direct at once, and all is undone unless the next load claims the slot in time. */
export function release(slot: Slot, owner: symbol, globals: Globals, graceMs = GRACE_MS): void {
  if (slot.owner !== owner) return
  slot.owner = null
  slot.implementation = null
  slot.grace = setTimeout(() => { retire(slot, globals) }, graceMs)
  slot.grace.unref()
}

/** Gives every method back, stops listening and forgets the requests; replies under way may finish. */
export function retire(slot: Slot, globals: Globals): void {
  if (slot.grace) clearTimeout(slot.grace)
  slot.grace = null
  for (const prototype of slot.patches.keys()) unpatch(slot, prototype)
  slot.server?.close()
  slot.server?.closeIdleConnections()
  slot.server = null
  slot.port = null
  slot.entries.clear()
  if (globals[SLOT_KEY] === slot) Reflect.deleteProperty(globals, SLOT_KEY)
}

/** Replaces `prepareInfer` of a class; true when it is replaced now, also if it was before. */
export function patch(slot: Slot, label: string, encryptorClass: unknown): boolean {
  const prototype = prototypeOf(encryptorClass)
  if (!prototype) return false
  const known = slot.patches.get(prototype)
  if (known && prototype.prepareInfer === known.replacement) return true
  const original = prototype.prepareInfer
  const replacement: Prepare = function (this: unknown, ...args) {
    const { implementation } = slot
    return implementation ? implementation.intercept(this, original, args) : Reflect.apply(original, this, args)
  }
  if (!Reflect.set(prototype, 'prepareInfer', replacement) || prototype.prepareInfer !== replacement) return false
  slot.patches.set(prototype, { label, original, replacement })
  return true
}

function unpatch(slot: Slot, prototype: object): void {
  const known = slot.patches.get(prototype)
  slot.patches.delete(prototype)
  // Somebody who wrapped our method keeps it; without an implementation it only passes through.
  if (known && Reflect.get(prototype, 'prepareInfer') === known.replacement) Reflect.set(prototype, 'prepareInfer', known.original)
}

function prototypeOf(value: unknown): { prepareInfer: Prepare } | null {
  if (typeof value === 'object' && value !== null && 'QoderEncryptedInfer' in value) return prototypeOf(value.QoderEncryptedInfer)
  if (typeof value !== 'function') return null
  const prototype: unknown = value.prototype
  if (typeof prototype !== 'object' || prototype === null || !('prepareInfer' in prototype)) return null
  return typeof prototype.prepareInfer === 'function' ? (prototype as { prepareInfer: Prepare }) : null
}

/** True when the value is, or holds, a class that can prepare requests. */
export function isEncryptor(value: unknown): boolean {
  return prototypeOf(value) !== null
}

/** Keeps a request under its id, and drops what is too old or too much. `now` steady ms. */
export function remember(slot: Slot, id: string, entry: Entry, now: number): void {
  sweep(slot, now)
  slot.entries.set(id, entry)
  while (slot.entries.size > ENTRY_LIMIT) {
    const [oldest] = slot.entries.keys()
    if (oldest === undefined) break
    slot.entries.delete(oldest)
  }
}

/** The request of that id, used now; it stays for a re-send. */
export function recall(slot: Slot, id: string, now: number): Entry | null {
  sweep(slot, now)
  const entry = slot.entries.get(id)
  if (!entry) return null
  entry.usedAt = now
  slot.entries.delete(id)
  slot.entries.set(id, entry)
  return entry
}

/** Keeps the encrypted form of a request; only the newest few keep theirs. */
export function keepPrepared(slot: Slot, entry: Entry, digest: string, prepared: Prepared): void {
  entry.sent = { digest, prepared }
  const holding = [...slot.entries.values()].filter((one) => one.sent !== null)
  for (const old of holding.slice(0, Math.max(0, holding.length - KEEP_PREPARED))) if (old !== entry) old.sent = null
}

/** Drops requests nobody asked for in time; entries are in order of last use. */
export function sweep(slot: Slot, now: number): void {
  for (const [id, entry] of slot.entries) {
    if (now - entry.usedAt < ENTRY_TTL_MS) break
    slot.entries.delete(id)
  }
}
