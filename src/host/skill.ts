/** Offers the set-up skill to agents: the text from the package, with the address of this host's interface filled in. */
import { readFileSync } from 'node:fs'
import type { Dispose, Log } from '../ports.ts'

/** The skill registry of the host as far as it is used. */
export interface SkillRegistry {
  register(skill: SkillText & { readonly source: string }): unknown
}

export interface SkillText {
  readonly name: string
  readonly description: string
  readonly whenToUse?: string
  readonly content: string
}

const FILE = 'skills/configure-model-failover/SKILL.md'
/** What stands in the text for the address; without a web server the agent is told to ask. */
const PLACEHOLDER = '{{baseUrl}}'
const UNKNOWN_ADDRESS = 'http://127.0.0.1:<port of the DSH page>'

/**
 * Registers the skill; the undo is the host's own. `baseUrl` is the address of the host's web server without a slash at
 * the end (`http://127.0.0.1:3000`), null when the host has none. Never throws: a host without the skill works as well.
 */
export function registerSkill(skills: SkillRegistry, baseUrl: string | null, log: Log, read: () => string = packagedText): Dispose {
  try {
    const undo = skills.register({ ...parseSkill(read(), baseUrl), source: 'bundled' })
    return () => { if (typeof undo === 'function') (undo as Dispose)() }
  } catch (error) {
    log.warn('the set-up skill is not offered: %s', error instanceof Error ? error.message : 'unknown error')
    return () => undefined
  }
}

/** Name, description and body of a skill file; throws when the front matter lacks one of them. */
export function parseSkill(text: string, baseUrl: string | null): SkillText {
  const [, head = '', body = ''] = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(text) ?? []
  const fields = new Map(head.split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^(\w+):\s*(.+)$/.exec(line) ?? []
    return key && value ? [[key, value.trim()] as const] : []
  }))
  const name = fields.get('name')
  const description = fields.get('description')
  if (!name || !description || body.trim() === '') throw new Error(`${FILE} has no name, description or text`)
  const whenToUse = fields.get('whenToUse')
  return { name, description, ...(whenToUse ? { whenToUse } : {}), content: body.trim().replaceAll(PLACEHOLDER, baseUrl ?? UNKNOWN_ADDRESS) }
}

/** The file lies beside the bundle's folder in a package, and further up in the sources. */
function packagedText(): string {
  for (const up of ['../', '../../', './']) {
    try { return readFileSync(new URL(`${up}${FILE}`, import.meta.url), 'utf8') } catch { /* not at this depth */ }
  }
  throw new Error(`${FILE} is missing from the package`)
}
