// Entry of the browser half.
export const inject: readonly string[] = []

export function apply(_ctx: unknown): void {}
