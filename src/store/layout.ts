/** Where the data files lie: the folder the row config names, the host's home, and the older plugin's folder. */
import { chmod, mkdir, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { Log } from '../ports.ts'
import { errorCode } from './files.ts'

export const FILES = {
  groups: 'groups.json',
  bindings: 'session-bindings.json',
  defaultBinding: 'default-binding.json',
  failed: 'failed.json',
  settings: 'settings.json',
  concurrency: 'model-concurrency.json',
  health: 'health.json',
  imported: 'imported.json',
} as const

/** Folder of the day files of samples, inside the data folder. */
export const METRICS_FOLDER = 'metrics'

/** What the paths depend on: the process environment and the user's home folder. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userHome: string
}

export interface Layout {
  /** The host's home, `$DSH_HOME` or `~/.dsh`. */
  readonly home: string
  /** The data folder, absolute. */
  readonly dir: string
  /** The data folder is the default one, so its mode is ours to keep tight. */
  readonly own: boolean
  /** Folder of the older plugin, read once at the first start. */
  readonly legacyDir: string
}

/**
 * Resolves the folders. `dataDir` may begin with `~` and hold `$NAME` or `${NAME}` of the environment (`DSH_HOME`
 * always has a value); a relative path is taken from the host's home, since the working folder is the user's project.
 */
export function locate(dataDir: string | undefined, surroundings: Surroundings): Layout {
  const { env, userHome } = surroundings
  const named = env['DSH_HOME']
  const home = named ? resolve(tilde(named, userHome)) : join(userHome, '.dsh')
  const legacyDir = join(home, 'model-failover-manager')
  const wanted = dataDir?.trim()
  if (!wanted) return { home, dir: join(home, 'model-failover'), own: true, legacyDir }
  const expanded = tilde(wanted.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (whole: string, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? ''
    return name === 'DSH_HOME' ? home : env[name] ?? whole
  }), userHome)
  return { home, dir: isAbsolute(expanded) ? resolve(expanded) : resolve(home, expanded), own: false, legacyDir }
}

function tilde(path: string, userHome: string): string {
  if (path === '~') return userHome
  return path.startsWith('~/') || path.startsWith('~\\') ? join(userHome, path.slice(2)) : path
}

/**
 * Makes the data folder with mode 0700, and tightens the default one if it stands open to others; a folder the user
 * named keeps the mode it has. Resolves with what is wrong, or null. Never rejects.
 */
export async function prepareFolder(dir: string, own: boolean, log: Log): Promise<string | null> {
  try {
    const made = await mkdir(dir, { recursive: true, mode: 0o700 })
    if (made === undefined && own && ((await stat(dir)).mode & 0o077) !== 0) await chmod(dir, 0o700)
    return null
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EPERM') return null // Another user's folder that we may still write to.
    log.error('the data folder cannot be made (%s); nothing is saved', code)
    return `the data folder ${dir} cannot be made (${code}); changes are kept in memory and tried again`
  }
}
