// The published types: the events of the context as the host half really emits them, and no harm where the host's framework is absent.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context, Events } from '@deepseek-ai/cordis'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { temporaryFolder } from '../dev/lifetime.mts'
import type { HealthEvents } from '../src/services/health-board.ts'
import type { MovesDeps } from '../src/services/moves.ts'
import type { CircuitEvent, EndpointEvent, FailoverEvent, ModelFailoverEvents, ProbeEvent } from '../types/index.d.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

describe('events on the context', () => {
  it('are typed as they are emitted', () => {
    expectTypeOf<CircuitEvent>().toEqualTypeOf<HealthEvents['circuit-opened']>()
    expectTypeOf<CircuitEvent>().toEqualTypeOf<HealthEvents['circuit-closed']>()
    expectTypeOf<ProbeEvent>().toEqualTypeOf<HealthEvents['probe']>()
    expectTypeOf<EndpointEvent>().toEqualTypeOf<HealthEvents['endpoint-changed']>()
    expectTypeOf<FailoverEvent>().toEqualTypeOf<Parameters<MovesDeps['announce']>[0]>()
  })

  it('leave none out', () => {
    expectTypeOf<keyof ModelFailoverEvents>().toEqualTypeOf<`model-failover/${keyof HealthEvents | 'failover'}`>()
    expectTypeOf<keyof ModelFailoverEvents>().toExtend<keyof Events>()
  })

  it('reach a listener of the framework with their types', () => {
    const listen = (ctx: Context): void => {
      ctx.on('model-failover/failover', ({ to, agentId }) => expectTypeOf([to.model, agentId]).toEqualTypeOf<string[]>())
      ctx.on('model-failover/endpoint-changed', ({ to }) => expectTypeOf(to).toEqualTypeOf<'healthy' | 'suspect' | 'quarantined'>())
    }
    expect(listen).toBeTypeOf('function')
  })
})

it('compile in a program that has no host at all', () => {
  const folder = temporaryFolder('types')
  try {
    const plugin = join(folder.path, 'node_modules/dsh-plugin-model-failover')
    mkdirSync(plugin, { recursive: true })
    cpSync(join(ROOT, 'types'), join(plugin, 'types'), { recursive: true })
    writeFileSync(join(plugin, 'package.json'), JSON.stringify({ name: 'dsh-plugin-model-failover', type: 'module', types: 'types/index.d.ts' }))
    writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder.path, 'use.ts'), `
import type { FailoverEvent, ModelFailoverEvents } from 'dsh-plugin-model-failover'
export const target = (event: FailoverEvent): string => event.to.model
export type Name = keyof ModelFailoverEvents
// @ts-expect-error there is no such field
export const nothing = (event: FailoverEvent): string => event.nothing
`)
    const options = ['--noEmit', '--strict', '--types', '', '--module', 'nodenext', '--moduleResolution', 'nodenext', 'use.ts']
    expect(() => execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options], { cwd: folder.path, stdio: 'pipe' })).not.toThrow()
  } finally {
    folder.remove()
  }
})
