import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openDocument } from './document.ts'
import { desk, notes, spec } from './testing/desk.ts'
import { tempFolder } from './testing/folder.ts'

const at = desk()

describe('a file that cannot be used', () => {
  it.each([
    ['no JSON', '{"version": 1, "notes": ['], ['empty', ''], ['of another shape', '{"version":1,"notes":7}'], ['with an unknown field', '{"version":1,"notes":[],"x":1}'],
    ['without a version', '{"notes":[]}'], ['a text', '"notes"'], ['null', 'null'], ['with a version that is a text', '{"version":"1","notes":[]}'],
  ])('%s is set aside as it is, reported, and defaults count', async (_what, content) => {
    await writeFile(at.path(), content)
    const document = await openDocument(spec, at.env())
    expect(document.value).toEqual(notes())
    const [aside] = await at.names()
    expect(aside).toBe('notes.json.broken-2025-03-03T04-00-00-000Z')
    expect(await readFile(at.path(aside), 'utf8')).toBe(content)
    expect(document.problems()).toMatchObject([{ file: 'notes.json', problem: expect.stringContaining(aside!) as string }])
    await document.replace(notes('new'))
    expect(await readFile(at.path(aside), 'utf8')).toBe(content)
  })

  it('no UTF-8: is set aside', async () => {
    await writeFile(at.path(), Buffer.from([...Buffer.from('{"version":1,"notes":["'), 0xff, 0xfe, ...Buffer.from('"]}')]))
    expect((await openDocument(spec, at.env())).value).toEqual(notes())
    expect((await at.names())[0]).toContain('.broken-')
  })

  it('names the field that is wrong', async () => {
    await writeFile(at.path(), '{"version":1,"notes":["a",7]}')
    expect((await openDocument(spec, at.env())).problems()[0]?.problem).toContain('notes.1')
  })

  it('never overwrites an earlier one set aside in the same instant', async () => {
    for (const content of ['one', 'two', 'three']) {
      await writeFile(at.path(), content)
      await openDocument(spec, at.env())
    }
    const kept = await Promise.all((await at.names()).map((name) => readFile(at.path(name), 'utf8')))
    expect(kept.sort()).toEqual(['one', 'three', 'two'])
  })

  it('is copied when it cannot be renamed', async () => {
    await writeFile(at.path(), 'broken')
    at.broken.set('rename', 'EPERM')
    const document = await openDocument(spec, at.env(at.failing))
    expect(await at.names()).toEqual(['notes.json', 'notes.json.broken-2025-03-03T04-00-00-000Z'])
    expect(document.readOnly).toBe(false)
  })

  it('is left alone, and nothing is written, when it can be neither renamed nor copied', async () => {
    await writeFile(at.path(), 'broken')
    at.broken.set('rename', 'EPERM').set('copyFile', 'ENOSPC')
    const document = await openDocument(spec, at.env(at.failing))
    at.broken.clear()
    document.set(notes('a'))
    await document.flush()
    await at.pass(1000)
    expect(await readFile(at.path(), 'utf8')).toBe('broken')
    expect(document.value).toEqual(notes('a'))
    await expect(document.replace(notes('b'))).rejects.toMatchObject({ kind: 'unavailable', code: 'STORE_READ_ONLY' })
    expect(document.value).toEqual(notes('a'))
  })

  it('of a newer version is left alone byte for byte; what is known of it is used', async () => {
    const newer = JSON.stringify({ version: 2, notes: ['kept'], colours: { a: 1 } })
    await writeFile(at.path(), newer)
    const document = await openDocument(spec, at.env())
    expect(document.readOnly).toBe(true)
    expect(document.value).toEqual(notes('kept'))
    document.set(notes('memory'))
    await expect(document.replace(notes('x'))).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await document.close()
    expect(await readFile(at.path(), 'utf8')).toBe(newer)
    expect(document.problems()[0]?.problem).toContain('version 2')
    expect(await at.names()).toEqual(['notes.json'])
  })

  it('of a newer version in a form nobody knows reads as the default', async () => {
    await writeFile(at.path(), JSON.stringify({ version: 9, notes: { a: 1 } }))
    expect((await openDocument(spec, at.env())).value).toEqual(notes())
  })

  it('that is a folder stays, and everything lives in memory', async () => {
    await mkdir(at.path())
    const document = await openDocument(spec, at.env())
    document.set(notes('a'))
    await document.flush()
    expect((await stat(at.path())).isDirectory()).toBe(true)
    expect(document.problems()[0]?.problem).toContain('EISDIR')
  })

  it('that may not be read stays untouched', async () => {
    await writeFile(at.path(), JSON.stringify(notes('secret')))
    at.broken.set('readFile', 'EACCES')
    const document = await openDocument(spec, at.env(at.failing))
    document.set(notes('a'))
    await document.close()
    expect(await at.onDisk()).toEqual(notes('secret'))
    expect(document.problems()[0]?.problem).toContain('EACCES')
  })

  it('of an older form is carried over, and the original kept', async () => {
    await writeFile(at.path(), '["a","b"]')
    const document = await openDocument({ ...spec, older: (raw) => (Array.isArray(raw) ? notes(...raw.map(String)) : null) }, at.env())
    expect(document.value).toEqual(notes('a', 'b'))
    await document.flush()
    expect(await at.onDisk()).toEqual(notes('a', 'b'))
    const aside = (await at.names()).find((name) => name.includes('.older-'))
    expect(await readFile(at.path(aside), 'utf8')).toBe('["a","b"]')
  })

  it('whatever its bytes are, opening neither throws nor loses them', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.json().map((text) => Buffer.from(text))), async (bytes) => {
      const { dir, remove } = await tempFolder()
      await writeFile(join(dir, 'notes.json'), bytes)
      const document = await openDocument(spec, { ...at.env(), dir })
      await document.flush()
      const kept = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
      expect(kept.some((content) => content.equals(bytes))).toBe(true)
      await remove()
    }), { numRuns: 100 })
  })
})
