/** The four optional neighbours: whether they are there, and the one line that helps. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import { Setting } from './Setting.tsx'

export function Neighbours(): VNode {
  const { app } = useShared()
  const status = app.status.data.value
  if (!status) return <p class="mf-muted">{t('state.loading')}</p>
  const { neighbours: { accountPool, codearts }, compressionGuard: guard, qoderShim: shim } = status
  const list = [
    ['accountPool', accountPool.present ? 'active' : 'absent', accountPool.lastError],
    ['codearts', codearts.present ? 'active' : 'absent', codearts.lastError],
    ['guard', !guard.enabled ? 'off' : guard.biliActive ? 'active' : 'idle', guard.lastDiagnosis?.hint],
    ['shim', !shim.enabled ? 'off' : shim.effective ? 'active' : shim.installed ? 'idle' : 'absent', shim.lastError ?? shim.hookRepair.detail],
  ] as const
  return (
    <>
      {list.map(([id, state, detail]) => (
        <section key={id} class="mf-card">
          <h3>{t(`near.${id}`)} <Chip tone={state === 'active' ? 'normal' : 'none'}>{t(`near.${state}`)}</Chip></h3>
          <p class="mf-muted">{t(`near.${id}.tip`)}</p>
          {detail && state !== 'absent' && <p class="mf-reason">{detail}</p>}
        </section>
      ))}
      <Setting name="compactionGuard" />
    </>
  )
}
