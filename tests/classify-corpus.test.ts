/**
 * Recorded and documented upstream failures, each in every form in which the host hands it over. What a view does not
 * name cannot be decided; those views are listed here with the class that the rest (status, code) gives them.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { failureClassSchema, scopeSchema, verdictSchema, type Failure, type FailureClass, type Verdict } from '../src/contract/failure.ts'
import { classify } from '../src/domain/classify.ts'
import { RULES } from '../src/domain/classify/rules.ts'

const viewSchema = z.strictObject({
  code: z.string().optional(),
  text: z.string(),
  status: z.number().optional(),
  retryAfterMs: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
/** Seconds until the stated reset, rounded; null where the text names none that lies ahead. */
const resetIn = z.number().nullable().optional()
const recordedSchema = z.strictObject({
  id: z.string(),
  vendor: z.string(),
  class: failureClassSchema,
  seen: z.strictObject({ piAi: viewSchema.optional(), deepseek: viewSchema.optional(), bare: viewSchema.optional() }),
  resetIn,
})
const documentedSchema = z.strictObject({
  id: z.string(),
  class: failureClassSchema,
  seen: viewSchema,
  /** The same failure as an adapter shows it that keeps only the status and the message. */
  plain: z.strictObject({ status: z.number(), text: z.string() }).optional(),
  scope: scopeSchema.optional(),
  resetIn,
  endOfLife: z.boolean().optional(),
})

function lines<T>(name: string, schema: z.ZodType<T>): T[] {
  const text = readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
  return text.trim().split('\n').map((line) => schema.parse(JSON.parse(line)))
}

const recorded = lines('upstream-errors.jsonl', recordedSchema)
const documented = lines('documented-errors.jsonl', documentedSchema)

/** 2026-08-25 10:00 in Beijing. */
const NOW = Date.UTC(2026, 7, 25, 2)

function judge(view: z.infer<typeof viewSchema>, aborted = false): Verdict {
  const { text, ...rest } = view
  const failure: Failure = { ...rest, message: text, ...(aborted ? { aborted } : {}) }
  return classify(failure, NOW)
}

function expectReset(verdict: Verdict, seconds: number | null | undefined): void {
  if (seconds === undefined) return
  expect(verdict.reset === null ? null : Math.round((verdict.reset - NOW) / 1000)).toBe(seconds)
}

/** Views that do not name their cause: a bodiless status, a wrapper's own words, an error that became a success. */
const UNNAMED: Readonly<Record<string, FailureClass>> = {
  'codex-account-model/piAi': 'invalid_request',
  'codex-account-model/deepseek': 'invalid_request',
  'qwen-arrearage/piAi': 'invalid_request',
  'qwen-arrearage/deepseek': 'invalid_request',
  'sf-20015-context/piAi': 'invalid_request',
  'sf-20015-context/deepseek': 'invalid_request',
  'xai-image-model/deepseek': 'invalid_request',
  'xai-newteam-403/deepseek': 'auth',
  'zen-freeusagelimit/deepseek': 'rate_limit',
  'zen-queue-full/piAi': 'transport',
  'zen-queue-full/deepseek': 'empty_response',
  'or-502-context/deepseek': 'server',
  'codex-overloaded-mid/deepseek': 'unknown',
  'or-context-mid/deepseek': 'unknown',
  'or-worker-limit-mid/deepseek': 'unknown',
}

const views = recorded.flatMap((line) =>
  Object.entries(line.seen).flatMap(([route, view]) => (view === undefined ? [] : [{ key: `${line.id}/${route}`, line, view }])),
)

describe('recorded failures', () => {
  it.each(views.filter(({ key }) => !(key in UNNAMED)))('$key is $line.class', ({ line, view }) => {
    const verdict = judge(view, line.class === 'cancelled')
    expect(verdict.class).toBe(line.class)
    expectReset(verdict, line.resetIn)
  })

  it.each(views.filter(({ key, view }) => !(key in UNNAMED) && view.status !== undefined))('$key is $line.class without its status too', ({ line, view }) => {
    const { status: _hidden, ...rest } = view
    expect(judge(rest).class).toBe(line.class)
  })

  it.each(Object.entries(UNNAMED))('%s does not name its cause and is judged by what is left: %s', (key, kind) => {
    const found = views.find((candidate) => candidate.key === key)
    expect(found && judge(found.view).class).toBe(kind)
  })

  it('takes an abort for a cancellation only when the turn itself was aborted', () => {
    const aborts = views.filter(({ line }) => line.class === 'cancelled')
    expect(aborts.length).toBeGreaterThan(0)
    for (const { view } of aborts) expect(judge(view).class).toBe('transport')
  })
})

describe('documented failures', () => {
  it.each(documented)('$id is $class', (line) => {
    const verdict = judge(line.seen)
    expect(verdict.class).toBe(line.class)
    if (line.scope !== undefined) expect(verdict.scope).toBe(line.scope)
    if (line.endOfLife !== undefined) expect(verdict.endOfLife).toBe(line.endOfLife)
    expectReset(verdict, line.resetIn)
  })

  it.each(documented.filter((line) => line.plain !== undefined))('$id is $class from its message and status alone', (line) => {
    expect(judge({ ...line.plain, text: line.plain?.text ?? '' }).class).toBe(line.class)
  })
})

it('has a failure for every rule, and the rule decides it', () => {
  const deciding = new Set([
    ...views.map(({ view }) => judge(view).rule),
    ...documented.flatMap((line) => [judge(line.seen).rule, ...(line.plain === undefined ? [] : [judge(line.plain).rule])]),
  ])
  expect(RULES.map((rule) => rule.id).filter((id) => !deciding.has(id))).toEqual([])
})

it('gives every rule an id of its own', () => {
  expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length)
})

it('keeps to the contract of a verdict', () => {
  for (const { view } of views) expect(() => verdictSchema.parse(judge(view))).not.toThrow()
})
