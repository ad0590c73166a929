/**
 * Who may talk to the interface: requests to this machine (or a host the deployment trusts) that no foreign page sent.
 * Decided from headers alone, before any byte of a body is read. It is a fence against other web pages, not a login.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Returns the status to refuse with, or undefined to admit. */
export type HostCheck = (request: IncomingMessage) => number | undefined

export interface FenceDeps {
  /** Further host names, `name` for any port or `name:port`; asked at each request since the host may tell them late. */
  readonly trustedHosts: () => readonly string[]
  /** The host's own check where it has one; it then decides alone, since it may know of tokens and cookies. */
  readonly hostCheck: () => HostCheck | undefined
}

/** The fence: a status (401, 403) to refuse with, or null to admit. Never throws. */
export function createFence(deps: FenceDeps): (request: IncomingMessage) => number | null {
  return (request) => {
    const check = deps.hostCheck()
    if (!check) return isTrusted(request.headers, deps.trustedHosts()) ? null : 403
    try { return check(request) ?? null } catch { return 403 /* a check that fails admits nobody */ }
  }
}

/** The own fence. `Host` must be loopback or trusted, `Origin` if present the same host, and the page not another site's. */
export function isTrusted(headers: IncomingHttpHeaders, trustedHosts: readonly string[]): boolean {
  const host = headers.host === undefined ? null : authority(headers.host, 'http:')
  if (!host) return false
  if (!isLoopback(host.hostname) && !trustedHosts.some((entry) => isEntry(entry, host))) return false
  if ((headers['sec-fetch-site'] ?? '').trim().toLowerCase() === 'cross-site') return false
  return headers.origin === undefined || sameOrigin(headers.origin, headers.host ?? '')
}

/** A bare `host` or `host:port`; anything a URL parser would read more out of is no authority. */
function authority(text: string, scheme: string): URL | null {
  if (!/^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(text)) return null
  try { return new URL(`${scheme}//${text}`) } catch { return null /* a number that is no address, a port out of range */ }
}

/** localhost, ::1, and all of 127.0.0.0/8. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function isEntry(entry: string, host: URL): boolean {
  const trusted = authority(entry.trim(), 'http:')
  if (!trusted || trusted.hostname !== host.hostname) return false
  return !/:\d+$/.test(entry.trim()) || trusted.port === host.port
}

/** An origin is `scheme://authority` and nothing else; `null`, other schemes and lists of origins are foreign. */
function sameOrigin(origin: string, host: string): boolean {
  const match = /^(https?:)\/\/([^/\s]+)$/i.exec(origin)
  const scheme = match?.[1]?.toLowerCase() ?? ''
  const [from, to] = [match && authority(match[2] ?? '', scheme), authority(host, scheme)]
  return !!from && !!to && from.host === to.host
}
