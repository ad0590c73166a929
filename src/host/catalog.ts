/** What the host's model registry says: providers, models, facts of one model, and the hash of a provider's base URL. */
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { ModelInfo, ModelsReply, ProviderInfo } from '../contract/models.ts'
import { routeKey, type Route } from '../contract/route.ts'
import type { ModelFacts } from '../ports.ts'
import { isRecord, service, type HostContext, type HostLlm, type HostModelInfo } from './shapes.ts'

const LOOKUP_MS = 10_000
/** Answers older than this are asked for again: models come and go in the settings without any word of the registry. */
const TRUSTED_MS = 5000

export interface Catalog {
  models(): Promise<ModelsReply>
  facts(route: Route): Promise<ModelFacts | null>
  /** The last answer of `facts`, without asking again; undefined = none that is fresh. */
  remembered(route: Route): ModelFacts | null | undefined
  endpointOf(provider: string): string
  hasProvider(provider: string): boolean
  providersOf(what: { readonly credential: string } | { readonly settings: string }): readonly string[]
  /** Forgets every answer (the registry changed). */
  forget(): void
}

/** Answers are trusted for seconds; a lookup that fails or hangs past 10 s counts as unknown but is asked again. */
export function createCatalog(ctx: HostContext): Catalog {
  const asking = new Map<string, Promise<ModelFacts | null>>()
  const settled = new Map<string, { readonly facts: ModelFacts | null; readonly at: number }>()
  const endpoints = new Map<string, string>()
  const llm = (): HostLlm | null => service<HostLlm>(ctx, 'llm', 'stream')

  const lookUp = async (route: Route): Promise<ModelFacts | null> => {
    const key = routeKey(route)
    try {
      const runtime = llm()
      // The wait keeps the promise in the map until it is settled, also where there is nothing to ask.
      if (!runtime) return await Promise.resolve(null)
      const found = toFacts(await within(runtime.resolveModelInfo(route.provider, route.model), LOOKUP_MS))
      settled.set(key, { facts: found, at: performance.now() })
      return found
    } catch (error) {
      if (isRecord(error) && (error.code === 'UNKNOWN_MODEL' || error.code === 'NO_ADAPTER')) settled.set(key, { facts: null, at: performance.now() })
      return null
    } finally { asking.delete(key) }
  }
  const remembered = (route: Route): ModelFacts | null | undefined => {
    const known = settled.get(routeKey(route))
    return known && performance.now() - known.at < TRUSTED_MS ? known.facts : undefined
  }
  return {
    models: () => readModels(llm()),
    facts(route) {
      const known = remembered(route)
      if (known !== undefined) return Promise.resolve(known)
      const key = routeKey(route)
      const asked = asking.get(key) ?? lookUp(route)
      asking.set(key, asked)
      return asked
    },
    remembered,
    endpointOf(provider) {
      const known = endpoints.get(provider)
      if (known !== undefined) return known
      const found = endpointHash(ctx, llm(), provider)
      if (found === null) return '' // the settings service comes late; ask again rather than remember "unknown"
      endpoints.set(provider, found)
      return found
    },
    hasProvider: (provider) => registered(llm()).some((entry) => entry.id === provider),
    providersOf: (what) => profiles(ctx, llm()).filter((each) => ('settings' in what ? each.namespace === what.settings : each.profile?.apiKeyEnv === what.credential)).map(({ provider }) => provider),
    forget() { asking.clear(); settled.clear(); endpoints.clear() },
  }
}

function toFacts(info: HostModelInfo): ModelFacts {
  return {
    contextWindow: info.context?.contextWindow ?? null,
    inputs: info.inputModalities ?? null,
    efforts: (info.reasoning?.efforts ?? []).map((effort) => effort.id),
    defaultMaxTokens: info.defaultMaxTokens ?? null,
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => { timer = setTimeout(() => reject(new Error('the adapter did not answer')), ms); timer.unref() })
  try { return await Promise.race([work, late]) } finally { clearTimeout(timer) }
}

function registered(llm: HostLlm | null): ReturnType<HostLlm['listProviders']> {
  try { return llm?.listProviders() ?? [] } catch { return [] /* a registry that fails offers nothing */ }
}

async function readModels(llm: HostLlm | null): Promise<ModelsReply> {
  if (!llm) return { providers: [], failures: [] }
  const failures: { provider: string; message: string }[] = []
  const providers = await Promise.all(registered(llm).map(async (entry): Promise<ProviderInfo> => {
    const name = entry.name ?? entry.id
    try {
      const listed = await within(llm.listModels(entry.id), LOOKUP_MS)
      return { id: entry.id, name, models: await Promise.all(listed.map((model) => describe(llm, entry.id, model))) }
    } catch (error) {
      failures.push({ provider: entry.id, message: error instanceof Error ? error.message : 'the adapter failed' })
      return { id: entry.id, name, models: [] }
    }
  }))
  return { providers, failures }
}

async function describe(llm: HostLlm, provider: string, model: { readonly id: string; readonly name?: string }): Promise<ModelInfo> {
  const plain = { id: model.id, name: model.name ?? model.id, efforts: [] }
  try {
    const facts = toFacts(await within(llm.resolveModelInfo(provider, model.id), LOOKUP_MS))
    return {
      ...plain,
      efforts: [...facts.efforts],
      ...(facts.contextWindow === null ? {} : { contextWindow: facts.contextWindow }),
      ...(facts.inputs === null ? {} : { inputs: [...facts.inputs] }),
    }
  } catch { return plain /* listed but not resolvable: shown without facts */ }
}

interface Profile { readonly provider: string; readonly namespace: string; readonly profile: Record<string, unknown> | null }

/** Where each configurable provider's settings lie, and what stands there; empty while the host has no settings. */
function profiles(ctx: HostContext, llm: HostLlm | null): Profile[] {
  const settings = service<{ get(namespace: string): unknown }>(ctx, 'settings', 'get')
  try {
    return (settings && llm?.listConfigurableProviders?.() || []).map(({ provider, settingsNs, settingsPath }) => {
      let at: unknown = settings?.get(settingsNs)
      for (const step of settingsPath) at = isRecord(at) ? at[step] : undefined
      return { provider, namespace: settingsNs, profile: isRecord(at) ? at : null }
    })
  } catch { return [] /* a host whose settings are read otherwise */ }
}

/** Hash of the base URL in the provider's settings profile; '' = it names none, null = there are no settings to look in yet. */
function endpointHash(ctx: HostContext, llm: HostLlm | null, provider: string): string | null {
  if (!service(ctx, 'settings', 'get')) return null
  const baseURL = profiles(ctx, llm).find((each) => each.provider === provider)?.profile?.baseURL
  const url = typeof baseURL === 'string' ? normaliseUrl(baseURL) : null
  return url === null ? '' : createHash('sha256').update(url).digest('hex').slice(0, 12)
}

/** The part of a base URL that tells endpoints apart, or null when it is not a URL. */
export function normaliseUrl(text: string): string | null {
  try {
    const url = new URL(text.trim())
    return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`.toLowerCase()
  } catch { return null }
}
