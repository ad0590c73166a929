import { chmod, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openDocument } from './document.ts'
import { realFiles, sweepTemps } from './files.ts'
import { desk, notes, spec } from './testing/desk.ts'

const at = desk()

describe('temporary files', () => {
  it('of a dead writer are swept, those of a living one and other files stay', async () => {
    const old = new Date(at.time.now() - 3_600_000)
    const fresh = new Date(at.time.now())
    const life = 'abcdef012345'
    await writeFile(at.path(`.notes.json.999999999-${life}-0.tmp`), '')
    await writeFile(at.path(`.notes.json.${process.pid}-${life}-0.tmp`), '')
    await writeFile(at.path(`.notes.json.${process.ppid}-${life}-1.tmp`), '')
    await utimes(at.path(`.notes.json.${process.ppid}-${life}-1.tmp`), old, old)
    await writeFile(at.path(`.notes.json.${process.ppid}-${life}-2.tmp`), '')
    await utimes(at.path(`.notes.json.${process.ppid}-${life}-2.tmp`), fresh, fresh)
    await writeFile(at.path('mine.tmp'), '')
    await sweepTemps(realFiles, at.dir, at.time.now())
    expect(await at.names()).toEqual([`.notes.json.${process.ppid}-${life}-2.tmp`, 'mine.tmp'])
  })

  it('a folder that is not there is no error', async () => {
    await sweepTemps(realFiles, at.path('nowhere'), 0)
  })
})

it('replaces a symbolic link and never the file it points to', async () => {
  await writeFile(at.path('other'), 'other')
  await chmod(at.path('other'), 0o644)
  await symlink(at.path('other'), at.path())
  const document = await openDocument(spec, at.env())
  await document.replace(notes('a'))
  expect(await at.onDisk()).toEqual(notes('a'))
  expect(await readFile(at.path('other'), 'utf8')).toBe('other')
})
