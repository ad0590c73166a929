/** The body of a request: bounded while it is read, JSON in UTF-8, refused with the reason otherwise. */
import type { IncomingMessage } from 'node:http'
import { Fault } from './fault.ts'
import { jsonErrorAt, placeOf } from './json.ts'

/** The sender went away before his body was complete; there is nobody to answer. */
export class Disconnected extends Error {}

/**
 * Reads at most `limit` bytes and parses them. No body at all reads as `{}`, so that what is missing is named field by
 * field. Throws a {@link Fault} (400, 413, 415) without reading on, or {@link Disconnected}.
 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  refuseForeign(request)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const bytes = await readBytes(request, limit)
  return bytes.length === 0 ? {} : parse(bytes)
}

function refuseForeign(request: IncomingMessage): void {
  const type = request.headers['content-type']
  const empty = request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0
  if (type === undefined && empty) return
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '')
  if (media !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    throw new Fault(415, 'NOT_JSON', `the body must be application/json in UTF-8, not ${type === undefined ? 'of no stated type' : JSON.stringify(type.slice(0, 100))}`)
  }
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') throw new Fault(415, 'ENCODED_BODY', 'the body must not be compressed')
}

const tooLarge = (limit: number): Fault => new Fault(413, 'BODY_TOO_LARGE', `the body is larger than ${limit} bytes`, { limit })

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const done = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) { chunks.push(chunk); return }
      done()
      request.pause()
      reject(tooLarge(limit))
    }
    const onEnd = (): void => {
      done()
      resolve(Buffer.concat(chunks))
    }
    const onGone = (): void => {
      done()
      reject(new Disconnected('the sender went away'))
    }
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  })
}

function parse(bytes: Buffer): unknown {
  let text: string
  try { text = new TextDecoder('utf-8', { fatal: true }).decode(bytes) } catch { throw new Fault(400, 'INVALID_JSON', 'the body is not UTF-8') }
  try { return JSON.parse(text) as unknown } catch {
    const position = jsonErrorAt(text)
    throw new Fault(400, 'INVALID_JSON', `the body is not JSON: ${position >= text.length ? 'it ends too early' : 'unexpected character'} at position ${position} (${placeOf(text, position)})`, { position })
  }
}
