import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keptLog } from '../../tests/support/neighbours.ts'
import { api, API_PREFIX } from '../contract/api.ts'
import { configDocument } from '../contract/transfer.ts'
import { parseSkill, registerSkill } from './skill.ts'

const text = readFileSync(new URL('../../skills/configure-model-failover/SKILL.md', import.meta.url), 'utf8')

describe('the skill', () => {
  it('is registered with the address of this host', () => {
    const seen: Record<string, unknown>[] = []
    let undone = 0
    const undo = registerSkill({ register: (skill) => { seen.push({ ...skill }); return () => { undone++ } } }, 'http://127.0.0.1:3117', keptLog())
    expect(seen).toMatchObject([{ name: 'configure-model-failover', source: 'bundled' }])
    expect(seen[0]?.content).toContain(`http://127.0.0.1:3117${API_PREFIX}`)
    expect(seen[0]?.content).not.toContain('{{')
    undo()
    expect(undone).toBe(1)
  })

  it('is readable without a web server', () => {
    expect(parseSkill(text, null).content).not.toContain('{{')
  })

  it('is left out, with a line in the log, when host or file refuse', () => {
    const log = keptLog()
    registerSkill({ register: () => { throw new Error('taken') } }, null, log)()
    registerSkill({ register: () => undefined }, null, log, () => 'no front matter')()
    expect(log.text().match(/not offered/g)).toHaveLength(2)
  })

  it('speaks both languages and says what it never touches', () => {
    const { description, whenToUse, content } = parseSkill(text, null)
    for (const part of [description, whenToUse ?? '', content]) expect(part).toMatch(/[\u4e00-\u9fff]/)
    expect(content).toMatch(/never reads, asks for, writes or repeats API keys/)
    expect(content).toContain('绝不做的事')
  })

  it('names only operations that exist, with their methods', () => {
    const known = new Set(Object.values(api).map(({ method, path }) => `${method} ${path.replace(':id', '<id>')}`))
    const named = [...text.matchAll(/`(GET|POST|PUT|DELETE) (\/[^`?]*)[^`]*`/g)].map(([, method, path]) => `${method} ${path}`)
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('shows documents and bodies that the interface accepts', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(text) ?? []
    expect(configDocument.safeParse(JSON.parse(example)).error).toBeUndefined()
    expect(api.preview.body.safeParse({ groupId: 'x' }).success).toBe(true)
    expect(api.startSpeedtest.body.safeParse({ groupId: 'x' }).success).toBe(true)
    expect(api.startSpeedtest.body.safeParse({ models: [{ provider: 'a', model: 'b' }] }).success).toBe(true)
    expect(api.modelDisabled.body.safeParse({ provider: 'a', model: 'b', disabled: true }).success).toBe(true)
    expect(api.explain.body.safeParse({ message: 'x', code: 'y', status: 429, provider: 'a', model: 'b' }).success).toBe(true)
    expect(api.sendHome.body.safeParse({}).success).toBe(true)
  })
})
