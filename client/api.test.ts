import { expect, it } from 'vitest'
import { ApiError, createApi } from './api.ts'
import { createMock } from './testing/mock.ts'

const reply = (status: number, text: string, headers: Record<string, string> = {}): typeof fetch => async () => new Response(status === 304 ? null : text, { status, headers })

it('sends query, body and id the way the contract wants them', async () => {
  const mock = createMock()
  const { call } = createApi(mock.fetch)
  await call('sessionInfo', { query: { sessionId: 'a b/ü' } })
  await call('settings', { body: { dialogMode: false } })
  await call('deleteGroup', { id: 'g 1/2' })
  expect(mock.log.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', '/session-info', undefined], ['POST', '/settings', { dialogMode: false }], ['DELETE', '/groups/g%201%2F2', undefined],
  ])
  expect(mock.log[0]?.query.get('sessionId')).toBe('a b/ü')
})

it('answers null for "unchanged", and the tag to ask with the next time', async () => {
  const { ask } = createApi(createMock().fetch)
  const first = await ask('status')
  expect(first.value?.version).toBeDefined()
  expect(await ask('status', { etag: first.etag })).toEqual({ value: null, etag: first.etag })
})

it('keeps code, status and message of a refusal', async () => {
  const { call } = createApi(reply(409, '{"error":{"code":"STALE_REV","message":"newer"}}'))
  await expect(call('groups')).rejects.toMatchObject({ status: 409, code: 'STALE_REV', message: 'newer' })
})

it('names the status when somebody else answered', async () => {
  await expect(createApi(reply(502, '<html>')).call('groups')).rejects.toMatchObject({ status: 502, code: 'HTTP_502', message: 'HTTP_502' })
  await expect(createApi(reply(503, 'busy')).call('groups')).rejects.toMatchObject({ status: 503, message: 'busy' })
  await expect(createApi(reply(200, '<!doctype html>')).call('groups')).rejects.toMatchObject({ status: 200, code: 'HTTP_200' })
})

it('says offline when nothing answered, and passes an abort on', async () => {
  const down: typeof fetch = async () => { throw new TypeError('failed') }
  await expect(createApi(down).call('groups')).rejects.toBeInstanceOf(ApiError)
  await expect(createApi(down).call('groups')).rejects.toMatchObject({ status: 0, code: 'OFFLINE' })
  await expect(createApi(down).call('groups', { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(TypeError)
})
