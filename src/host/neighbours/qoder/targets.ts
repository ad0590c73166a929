/** Where an encryptor class can be got hold of: the hook's global, and the codec file as the host's loader knows it. */
import { pathToFileURL } from 'node:url'
import { HOOK_GLOBAL } from './hook.ts'
import type { Globals } from './slot.ts'

/**
 * The addresses under which a module file may be loaded. A Windows drive letter counts in either case as a module of
 * its own, so both are given; elsewhere there is one.
 */
export function moduleUrls(path: string): string[] {
  const windows = /^[A-Za-z]:[\\/]/.test(path)
  const { href } = pathToFileURL(path, { windows })
  if (!windows) return [href]
  const [, letter = '', rest = ''] = /^file:\/\/\/([A-Za-z])(:.*)$/s.exec(href) ?? []
  return letter === '' ? [href] : [`file:///${letter.toUpperCase()}${rest}`, `file:///${letter.toLowerCase()}${rest}`]
}

/** What the hook has handed out so far; undefined = nothing. */
export function liveEncryptor(globals: Globals): unknown {
  try { return globals[HOOK_GLOBAL] ?? undefined } catch { return undefined /* an accessor of somebody else */ }
}

/** The class a loaded codec module exports, under any of the usual forms; undefined when it has none. */
export function exportedEncryptor(module: unknown): unknown {
  if (typeof module !== 'object' || module === null) return undefined
  if ('QoderEncryptedInfer' in module) return module.QoderEncryptedInfer
  return 'default' in module ? exportedEncryptor(module.default) : undefined
}
