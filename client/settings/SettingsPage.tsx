/** The plugin's page in the host's settings. */
import { useEffect } from 'preact/hooks'
import type { VNode } from 'preact'
import { createApi } from '../api.ts'
import { createResource } from '../resource.ts'
import { t, title } from '../text.ts'

const { call } = createApi((input, init) => fetch(input, init))
const status = createResource((signal) => call('status', { signal }))
const models = createResource((signal) => call('models', { signal }))

export function SettingsPage(): VNode {
  useEffect(() => {
    void status.refresh()
    void models.refresh()
  }, [])
  return (
    <section class="mf">
      <h2 class="mf-title">{title()}</h2>
      <p>{status.data.value?.version ?? status.error.value?.message ?? t('loading')}</p>
      <table>
        <thead><tr><th>{t('provider')}</th><th>{t('model')}</th></tr></thead>
        <tbody>
          {models.data.value?.providers.flatMap((provider) => provider.models.map((model) => (
            <tr key={`${provider.id}/${model.id}`}><td>{provider.name}</td><td>{model.name}</td></tr>
          )))}
        </tbody>
      </table>
    </section>
  )
}
