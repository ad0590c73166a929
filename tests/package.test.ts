// What is published fits together: the manifest, the row's documentation, the icon and the demo's fault catalogue.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configSchema, readConfig } from '../src/contract/config.ts'
import manifest from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('package.json', () => {
  it('needs nothing at run time: everything is bundled, and no host package is a peer that a newer host could refuse', () => {
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('peerDependencies')
  })

  it('runs no script on installation', () => {
    expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([])
  })

  it('ships an icon that the host accepts', () => {
    expect(manifest.files).toContain(manifest.icon)
    expect(statSync(join(ROOT, manifest.icon)).size).toBeLessThan(256 * 1024)
  })

  it('exports and ships the title and description of each language', () => {
    expect(manifest.exports).toHaveProperty(['./locale/*.json'])
    expect(manifest.files).toContain('locale')
    if (!existsSync(join(ROOT, 'locale'))) return
    for (const file of readdirSync(join(ROOT, 'locale'))) {
      const { meta } = JSON.parse(text(join('locale', file))) as { readonly meta?: { readonly title?: string; readonly description?: string } }
      expect(meta?.title, file).toMatch(/\S/)
      expect(meta?.description, file).toMatch(/\S/)
    }
  })
})

describe('cordis.patch.yml', () => {
  it('adds exactly one row, named like the package', () => {
    expect(parse(text('cordis.patch.yml'))).toEqual([{ insert: [{ id: 'model-failover', name: manifest.name }] }])
  })

  it.each(Object.keys(configSchema.shape))('documents %s with its true default', (key) => {
    const line = text('cordis.patch.yml').split('\n').find((one) => one.trim().startsWith(`#   ${key}:`))
    expect(line, `no line for ${key}`).toBeDefined()
    const documented = (parse(line!.trim().slice(1)) as Record<string, unknown>)[key]
    expect(documented ?? undefined).toEqual((readConfig({}).config as Readonly<Record<string, unknown>>)[key])
  })
})
