import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFence, isTrusted } from './fence.ts'

const trusts = (headers: IncomingHttpHeaders, hosts: readonly string[] = []) => isTrusted(headers, hosts)

describe('Host', () => {
  it.each(['127.0.0.1', '127.0.0.1:3080', '127.8.9.1:1', 'localhost', 'LOCALHOST:80', 'localhost:65535', '[::1]', '[::1]:3080', '[0:0:0:0:0:0:0:1]:80'])('%s is this machine', (host) => {
    expect(trusts({ host })).toBe(true)
  })

  it.each([undefined, '', 'evil.test', 'evil.test:3080', '127.0.0.1.evil.test', 'localhost.evil.test', 'localhost.', 'evil@127.0.0.1', '127.0.0.1/x', '127.0.0.1:3080@evil.test', '10.0.0.1', '0.0.0.0', '[::2]', '[::ffff:7f00:1]', '128.0.0.1', '127.0.0.1:99999', '127.0.0.1 ', 'local host', 'localhost:', '127.0.0.256', '%6cocalhost', 'localhost,evil.test'])('%s is not', (host) => {
    expect(trusts({ host })).toBe(false)
  })

  it('a trusted name counts on any port, with a port on that one only', () => {
    expect(trusts({ host: 'my.lan:3080' }, ['my.lan'])).toBe(true)
    expect(trusts({ host: 'MY.LAN' }, ['My.lan'])).toBe(true)
    expect(trusts({ host: 'my.lan:3080' }, ['my.lan:3080'])).toBe(true)
    expect(trusts({ host: 'my.lan:80' }, ['my.lan:3080'])).toBe(false)
    expect(trusts({ host: 'my.lan' }, ['my.lan:80'])).toBe(true)
    expect(trusts({ host: 'other.lan' }, ['my.lan', '', 'http://other.lan', '*'])).toBe(false)
  })
})

describe('Origin', () => {
  it.each([['127.0.0.1:3080', 'http://127.0.0.1:3080'], ['localhost:80', 'http://localhost'], ['localhost:443', 'https://localhost'], ['[::1]:3080', 'http://[::1]:3080'], ['localhost:3080', 'HTTP://LOCALHOST:3080']])('on %s, %s is the same', (host, origin) => {
    expect(trusts({ host, origin })).toBe(true)
  })

  it.each(['null', '', 'http://evil.test', 'http://localhost:3081', 'https://localhost:30800', 'file://localhost:3080', 'http://localhost:3080/x', 'http://localhost:3080, http://localhost:3080', 'http://user@localhost:3080', 'chrome-extension://abc', 'localhost:3080', 'http://127.0.0.1:3080'])('on localhost:3080, %j is foreign', (origin) => {
    expect(trusts({ host: 'localhost:3080', origin })).toBe(false)
  })
})

it('a page of another site is refused although Host is right; the address bar and other ports are not', () => {
  const host = 'localhost:3080'
  expect(trusts({ host, 'sec-fetch-site': 'cross-site' })).toBe(false)
  expect(trusts({ host, 'sec-fetch-site': 'Cross-Site ' })).toBe(false)
  for (const site of ['none', 'same-origin', 'same-site']) expect(trusts({ host, 'sec-fetch-site': site })).toBe(true)
})

it('the host\'s own check decides alone where there is one, and admits nobody when it fails', () => {
  const request = (host: string): IncomingMessage => ({ headers: { host } }) as IncomingMessage
  let check: ((request: IncomingMessage) => number | undefined) | undefined
  const fence = createFence({ trustedHosts: () => [], hostCheck: () => check })
  expect([fence(request('localhost')), fence(request('evil.test'))]).toEqual([null, 403])
  check = ({ headers }) => (headers.host === 'evil.test' ? undefined : 401)
  expect([fence(request('localhost')), fence(request('evil.test'))]).toEqual([401, null])
  check = () => { throw new Error('no') }
  expect(fence(request('localhost'))).toBe(403)
})

it('whatever the headers, only loopback and trusted names get in', () => {
  fc.assert(fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (host, origin) => {
    if (trusts({ host, ...(origin === undefined ? {} : { origin }) })) expect(host.toLowerCase()).toMatch(/^(?:localhost|127\.[\d.]+|\[[0:]*1\])(?::\d+)?$/)
  }), { numRuns: 2000 })
})
