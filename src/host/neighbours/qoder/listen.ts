/** The loopback server of the slot: opened once, kept over reloads on the same port, never in the way of a shutdown. */
import { createServer } from 'node:http'
import type { Slot } from './slot.ts'

/** Listens on 127.0.0.1; null = listening, else one line that says why not. Port 0 takes any free one. */
export async function listen(slot: Slot, port: number): Promise<string | null> {
  if (slot.server?.listening && (port === 0 || slot.port === port)) return null
  if (slot.server) { slot.server.close(); slot.server.closeIdleConnections(); slot.server = null; slot.port = null }
  const server = createServer((req, res) => {
    if (slot.handler) slot.handler(req, res)
    else { req.resume(); res.writeHead(503).end() }
  })
  server.unref()
  server.requestTimeout = 0
  const problem = await new Promise<string | null>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? `port ${port} is in use; requests go direct` : `cannot listen on port ${port} (${error.code ?? 'no code'}); requests go direct`)
    })
    server.listen(port, '127.0.0.1', () => { resolve(null) })
  })
  if (problem !== null) return problem
  server.on('error', () => undefined)
  const address = server.address()
  slot.server = server
  slot.port = typeof address === 'object' && address ? address.port : port
  return null
}
