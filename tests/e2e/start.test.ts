// The demo is part of the product: it has to save its turn, and to say what it does not understand.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEMO_SURVIVOR } from '../../dev/demo.mts'
import { ROOT } from '../../dev/home.mts'

const start = (args: readonly string[]) => new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
  const child = execFile(process.execPath, [join(ROOT, 'dev/start.mts'), ...args], (_error, out, err) => resolve({ code: child.exitCode, out, err }))
})

it('saves the turn of `npm start -- --once` and prints every request on the way', async () => {
  const { code, out, err } = await start(['--once'])
  expect(err).toBe('')
  expect(out).toMatch(/alpha\/a-1 +fails: quota/)
  expect(out).toMatch(/alpha\/a-2 +fails: 500/)
  expect(out).toContain(`answer: Here is ${DEMO_SURVIVOR}`)
  expect(code).toBe(0)
})

it('refuses an option it does not know and shows the known ones', async () => {
  const { code, err } = await start(['--onec'])
  expect(err).toContain('--once')
  expect(code).toBe(2)
})
