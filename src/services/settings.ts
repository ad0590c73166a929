/** The settings in force: what the page saved, over the row config, over the defaults. Changes count at once. */
import type { Config } from '../contract/config.ts'
import type { Settings, SettingsDocument, SettingsInput } from '../contract/settings.ts'
import type { Dispose, EditableDocument } from '../ports.ts'

export interface SettingsService {
  /** The same object until something changes. */
  current(): Settings
  /** What the page saved, without config and defaults. */
  stored(): SettingsInput
  /** Saves the given keys; `null` gives a key back to config or default. */
  update(input: SettingsInput): Promise<Settings>
  /** Makes `input` all that is saved. */
  replaceAll(input: SettingsInput): Promise<Settings>
  /** Puts the saved settings back at once, on disk as soon as it can be written. */
  restore(before: SettingsInput): void
  onChange(listener: (settings: Settings) => void): Dispose
}

export interface SettingsDeps {
  readonly document: EditableDocument<SettingsDocument>
  readonly config: Config
  /** Keys the row itself names; the others have their default. */
  readonly configured: ReadonlySet<string>
}

type Values = Omit<Settings, 'sources'>

export function createSettings({ document, config, configured }: SettingsDeps): SettingsService {
  const listeners = new Set<(settings: Settings) => void>()
  const base: Values = {
    dialogMode: true, metricsSort: null, notifyUser: config.notifyUser, ledgerRecovery: config.ledgerRecovery, takeOverModelSeat: config.takeOverModelSeat,
    drill: config.drill, patience: config.patience, stripReasoningEffort: config.stripReasoningEffort, enableProbe: config.enableProbe,
    defaultConcurrency: config.defaultConcurrency, compactionGuard: config.compactionGuard,
  }
  let from: SettingsInput | null = null
  let settings: Settings = { ...base, sources: {} }

  const current = (): Settings => {
    const stored = document.value.settings
    if (stored !== from) {
      from = stored
      settings = effective(base, stored, configured)
    }
    return settings
  }
  const tell = (): Settings => {
    const now = current()
    for (const listener of listeners) listener(now)
    return now
  }

  return {
    current,
    stored: () => document.value.settings,
    async update(input) {
      await document.change((now) => ({ version: 1, settings: kept({ ...now.settings, ...input }) }))
      return tell()
    },
    async replaceAll(input) {
      await document.change(() => ({ version: 1, settings: kept(input) }))
      return tell()
    },
    restore(before) {
      document.set({ version: 1, settings: before })
      tell()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
  }
}

/** Without the keys that are null or absent: those are not saved. */
function kept(input: SettingsInput): SettingsInput {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))
}

function effective(base: Values, stored: SettingsInput, configured: ReadonlySet<string>): Settings {
  const saved = kept(stored)
  const sources: Record<string, 'ui' | 'config' | 'default'> = {}
  for (const key of Object.keys(base)) sources[key] = Object.hasOwn(saved, key) ? 'ui' : configured.has(key) ? 'config' : 'default'
  return { ...base, ...saved as Partial<Values>, sources }
}
