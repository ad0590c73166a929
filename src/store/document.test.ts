import { readFile, stat, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openDocument } from './document.ts'
import { realFiles, type Files } from './files.ts'
import { add, desk, notes, spec } from './testing/desk.ts'

const at = desk()

describe('a document', () => {
  it('is its initial value while there is no file, and makes none by being opened', async () => {
    const document = await openDocument(spec, at.env())
    expect(document.value).toEqual(notes())
    expect(document.existed).toBe(false)
    expect(await at.names()).toEqual([])
  })

  it('comes back as it was written, with the version first and for the owner only', async () => {
    const document = await openDocument(spec, at.env())
    await document.replace(notes('a', 'ü中'))
    expect((await readFile(at.path(), 'utf8')).startsWith('{\n "version": 1,')).toBe(true)
    expect((await stat(at.path())).mode & 0o777).toBe(0o600)
    expect((await openDocument(spec, at.env())).value).toEqual(notes('a', 'ü中'))
    expect(await at.names()).toEqual(['notes.json'])
  })

  it('writes the version first even if the value has it last', async () => {
    const document = await openDocument(spec, at.env())
    await document.replace({ notes: [], version: 1 })
    expect(Object.keys(await at.onDisk() as object)).toEqual(['version', 'notes'])
  })

  it('makes its folder, closed to others, if somebody removed it', async () => {
    const document = await openDocument(spec, { ...at.env(), dir: at.path('deep/er') })
    await document.replace(notes('a'))
    expect((await stat(at.path('deep/er'))).mode & 0o777).toBe(0o700)
  })

  it('reads a file that an editor began with a byte-order mark', async () => {
    await writeFile(at.path(), `\uFEFF${JSON.stringify(notes('a'))}`)
    expect((await openDocument(spec, at.env())).value).toEqual(notes('a'))
  })
})

describe('replace', () => {
  it('changes the value only when the file holds it', async () => {
    const document = await openDocument(spec, at.env())
    const done = document.replace(notes('a'))
    expect(document.value).toEqual(notes())
    await done
    expect(document.value).toEqual(notes('a'))
  })

  it.each(['open', 'rename'] as const)('rejects and changes nothing when %s fails', async (operation) => {
    const document = await openDocument(spec, at.env(at.failing))
    await document.replace(notes('a'))
    at.broken.set(operation, 'ENOSPC')
    await expect(document.replace(notes('b'))).rejects.toMatchObject({ kind: 'unavailable', code: 'STORE_UNAVAILABLE', message: expect.stringContaining('ENOSPC') as string })
    expect(document.value).toEqual(notes('a'))
    expect(await at.onDisk()).toEqual(notes('a'))
    expect(await at.names()).toEqual(['notes.json'])
    expect(document.problems()).toMatchObject([{ file: 'notes.json', problem: expect.stringContaining('ENOSPC') as string }])
    at.broken.clear()
    await document.replace(notes('c'))
    expect(document.problems()).toEqual([])
    expect((await openDocument(spec, at.env())).value).toEqual(notes('c'))
  })

  it('leaves no temporary file when the disk is full in the middle of a write', async () => {
    const files: Files = {
      ...realFiles,
      open: async (...args: Parameters<Files['open']>) => {
        const handle = await realFiles.open(...args)
        handle.sync = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
        return handle
      },
    }
    const document = await openDocument(spec, at.env(files))
    await expect(document.replace(notes('a'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await at.names()).toEqual([])
  })

  it('refuses a value that is no JSON as a failed write, not as a crash', async () => {
    const document = await openDocument(spec, at.env())
    const circular: { version: 1; notes: string[]; self?: unknown } = { version: 1, notes: [] }
    circular.self = circular
    await expect(document.replace(circular)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(document.value).toEqual(notes())
  })
})

describe('set', () => {
  it('counts at once and is on disk without any time passing', async () => {
    const document = await openDocument(spec, at.env())
    document.set(notes('a'))
    expect(document.value).toEqual(notes('a'))
    await document.flush()
    expect(await at.onDisk()).toEqual(notes('a'))
  })

  it('starts each write within 100 ms and makes one write of many calls', async () => {
    let writes = 0
    const files: Files = { ...realFiles, rename: (...args: Parameters<Files['rename']>) => { writes++; return realFiles.rename(...args) } }
    const document = await openDocument(spec, at.env(files))
    for (let n = 0; n < 50; n++) document.set(notes(String(n)))
    await document.flush()
    expect(writes).toBe(1)
    for (let n = 0; n < 50; n++) document.set(notes(`again ${n}`))
    await at.pass(100)
    expect(writes).toBe(2)
    expect(await at.onDisk()).toEqual(notes('again 49'))
  })

  it('keeps the value in memory while writing fails, says so, and tries again with a bounded back-off', async () => {
    let tries = 0
    const document = await openDocument(spec, at.env({ ...at.failing, rename: (...args) => { tries++; return at.failing.rename(...args) } }))
    at.broken.set('rename', 'EROFS')
    document.set(notes('a'))
    await at.pass(3000)
    const early = tries
    expect(early).toBeGreaterThanOrEqual(3)
    expect(early).toBeLessThanOrEqual(5)
    await at.pass(300_000, 500)
    expect(tries - early).toBeGreaterThanOrEqual(9)
    expect(tries - early).toBeLessThanOrEqual(16)
    expect(document.value).toEqual(notes('a'))
    expect(document.problems()).toHaveLength(1)
    at.broken.clear()
    await at.pass(31_000, 1000)
    expect(document.problems()).toEqual([])
    expect(await at.onDisk()).toEqual(notes('a'))
    expect(at.time.pending).toBe(0)
  })

  it('gives flush an answer while writing fails', async () => {
    const document = await openDocument(spec, at.env(at.failing))
    at.broken.set('open', 'EACCES')
    document.set(notes('a'))
    await document.flush()
    expect(document.problems()).toMatchObject([{ problem: expect.stringContaining('EACCES') as string }])
  })
})

describe('edits', () => {
  it('never lose each other', async () => {
    const document = await openDocument(spec, at.env())
    await Promise.all(Array.from({ length: 40 }, (_, n) => document.change(add(String(n)))))
    expect([...document.value.notes].sort()).toEqual(Array.from({ length: 40 }, (_, n) => String(n)).sort())
    expect(await at.onDisk()).toEqual(document.value)
  })

  it('that refuse reject their own call only', async () => {
    const document = await openDocument(spec, at.env())
    const [good, bad] = await Promise.allSettled([document.change(add('a')), document.change(() => { throw new Error('stale') }), document.change(add('b'))])
    expect(good.status).toBe('fulfilled')
    expect(bad.status).toBe('rejected')
    expect(document.value).toEqual(notes('a', 'b'))
  })

  it('keep what was amended while they were being written', async () => {
    const document = await openDocument(spec, at.env())
    const done = document.change(add('durable'))
    await new Promise((resolve) => { setImmediate(resolve) })
    document.amend(add('behind'))
    await done
    expect([...document.value.notes].sort()).toEqual(['behind', 'durable'])
    await at.pass(100)
    await document.flush()
    expect(await at.onDisk()).toEqual(document.value)
  })

  it('a later set wins over an earlier replace that was still being written', async () => {
    const document = await openDocument(spec, at.env())
    const done = document.replace(notes('first'))
    await new Promise((resolve) => { setImmediate(resolve) })
    document.set(notes('second'))
    await done
    expect(document.value).toEqual(notes('second'))
    await document.flush()
    expect(await at.onDisk()).toEqual(notes('second'))
  })

  it('a commit made by the one who just got his answer is served as well', async () => {
    const document = await openDocument(spec, at.env())
    for (let n = 0; n < 20; n++) await document.change(add(String(n))).then(() => document.change(add(`then ${n}`)))
    expect(document.value.notes).toHaveLength(40)
  })

  it('under any mixture the file ends up equal to the value, and every resolved edit is in it', async () => {
    const verb = fc.oneof(fc.record({ kind: fc.constant('change' as const), fail: fc.boolean() }), fc.record({ kind: fc.constant('amend' as const), fail: fc.constant(false) }), fc.record({ kind: fc.constant('flush' as const), fail: fc.boolean() }), fc.record({ kind: fc.constant('wait' as const), fail: fc.boolean() }))
    await fc.assert(fc.asyncProperty(fc.array(verb, { maxLength: 25 }), async (script) => {
      at.broken.clear()
      await realFiles.rm(at.path(), { force: true })
      const document = await openDocument(spec, at.env(at.failing))
      const kept: string[] = []
      const open: Promise<unknown>[] = []
      for (const [index, { kind, fail }] of script.entries()) {
        if (fail) at.broken.set('rename', 'ENOSPC')
        else at.broken.clear()
        const text = String(index)
        if (kind === 'change') open.push(document.change(add(text)).then(() => kept.push(text), () => undefined))
        else if (kind === 'amend') { document.amend(add(text)); kept.push(text) }
        else if (kind === 'flush') await document.flush()
        else await at.pass(60)
      }
      at.broken.clear()
      await Promise.all(open)
      await document.close()
      expect([...document.value.notes].sort()).toEqual([...kept].sort())
      if (kept.length > 0) expect(await at.onDisk()).toEqual(document.value)
      expect(at.time.pending).toBe(0)
    }), { numRuns: 60 })
  })
})

describe('closing', () => {
  it('writes what is owed, starts nothing afterwards, and refuses commits', async () => {
    const document = await openDocument(spec, at.env())
    document.set(notes('a'))
    await document.close()
    expect(await at.onDisk()).toEqual(notes('a'))
    document.set(notes('b'))
    await at.pass(1000)
    expect(await at.onDisk()).toEqual(notes('a'))
    await expect(document.replace(notes('c'))).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    expect(at.time.pending).toBe(0)
  })

  it('ends although writing fails', async () => {
    const document = await openDocument(spec, at.env(at.failing))
    at.broken.set('open', 'ENOSPC')
    document.set(notes('a'))
    await at.pass(100)
    await document.close()
    expect(at.time.pending).toBe(0)
  })
})
