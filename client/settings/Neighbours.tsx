/** The four optional neighbours: whether they are there, what they did, and the one line that helps. */
import type { VNode } from 'preact'
import type { StatusReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import type { Tone } from '../ui/Chip.tsx'
import { Setting } from './Setting.tsx'

interface Card { readonly id: string; readonly state: 'present' | 'absent' | 'active' | 'idle' | 'off' | 'waiting'; readonly lines: readonly (string | null | false)[] }

const TONES: Readonly<Record<Card['state'], Tone>> = { present: 'normal', active: 'normal', waiting: 'resting', absent: 'none', idle: 'none', off: 'none' }

function cards(status: StatusReply, now: number): readonly Card[] {
  const { neighbours: { accountPool, codearts }, compressionGuard: guard, qoderShim: shim } = status
  const past = ({ lastAt, lastError }: { readonly lastAt: number | null; readonly lastError: string | null }): string | false => lastAt !== null && `${clockTime(lastAt, now)} ${lastError ?? ''}`
  return [
    { id: 'accountPool', state: accountPool.present ? 'present' : 'absent', lines: [accountPool.handoffs > 0 && t('near.handoffs', { n: accountPool.handoffs }), past(accountPool)] },
    { id: 'codearts', state: codearts.present ? 'present' : 'absent', lines: [codearts.heals > 0 && t('near.heals', { n: codearts.heals, failures: codearts.failures }), past(codearts)] },
    { id: 'guard', state: !guard.enabled ? 'off' : guard.biliActive ? 'active' : 'idle', lines: [guard.downgradedModels.map(({ provider, model }) => `${provider}/${model}`).join(', '), guard.degradedSessions.length > 0 && t('near.degraded', { n: guard.degradedSessions.length }), guard.lastDiagnosis && guard.lastDiagnosis.hint] },
    { id: 'shim', state: !shim.enabled ? 'off' : shim.effective ? 'active' : shim.installed ? 'waiting' : 'absent', lines: [shim.intercepted > 0 && t('near.counts', { in: shim.intercepted, out: shim.forwarded, folded: shim.folded, fallback: shim.fallback }), shim.hookRepair.state !== 'absent' && `${shim.hookRepair.state}: ${shim.hookRepair.detail}`, shim.lastError] },
  ]
}

export function Neighbours(): VNode {
  const { app } = useShared()
  const status = app.status.data.value
  return (
    <>
      <p class="mf-muted">{t('near.intro')}</p>
      {status && cards(status, app.now.value).map(({ id, state, lines }) => (
        <section key={id} class="mf-card">
          <h3>{t(`near.${id}` as TextKey)} <Chip tone={TONES[state]}>{t(`near.${state}`)}</Chip></h3>
          <p class="mf-muted">{t(`near.${id}.tip` as TextKey)}</p>
          {lines.map((line) => line && <p key={line}>{line}</p>)}
        </section>
      ))}
      <Setting name="compactionGuard" />
    </>
  )
}
