// Composition root of the host half.
import type { Context } from '@deepseek-ai/cordis'

export const name = 'model-failover'
export const inject: readonly string[] = []

export function apply(_ctx: Context, _row: unknown): void {}
