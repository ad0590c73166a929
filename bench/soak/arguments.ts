/** Command-line flags with a number or a text each, and the frame of a command that takes them. */

/** The defaults with what `args` says instead; null for a flag that is not among them or a number that is none. */
export function readArguments<T extends Readonly<Record<string, number | string | null>>>(args: readonly string[], defaults: T): Widened<T> | null {
  const found: Record<string, number | string | null> = { ...defaults }
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i]?.replace(/^--/, '') ?? ''
    const text = args[i + 1]
    if (!args[i]?.startsWith('--') || !(name in defaults) || text === undefined) return null
    const value = typeof defaults[name] === 'number' ? Number(text) : text
    if (typeof value === 'number' && !(Number.isFinite(value) && value >= 0)) return null
    found[name] = value
  }
  return found as Widened<T>
}

/** A number may be any number, and what has no default may be a text. */
export type Widened<T> = { readonly [K in keyof T]: T[K] extends number ? number : string | null }

/** Carries out a command and ends the process: 0 = all is well, 1 = a promise was broken or it failed, 2 = wrong flags. */
export async function run<T>(options: T | null, usage: string, main: (options: T) => Promise<boolean>): Promise<never> {
  if (options === null) {
    console.error(usage)
    process.exit(2)
  }
  try {
    process.exit(await main(options) ? 0 : 1)
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
}
