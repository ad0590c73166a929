/** The four optional neighbours: whether they are there, what they did, and the one line that helps. */
import type { ComponentChildren, VNode } from 'preact'
import type { StatusReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import type { ChipTone } from '../ui/Chip.tsx'
import { Toggle } from './Toggle.tsx'

interface Card { readonly id: string; readonly state: TextKey; readonly tone: ChipTone; readonly lines: readonly (string | null)[]; readonly more?: ComponentChildren }

function cards(status: StatusReply, now: number): Card[] {
  const { neighbours: { accountPool, codearts }, compressionGuard: guard, qoderShim: shim } = status
  const last = (at: number | null): string | null => (at === null ? null : t('near.last', { at: clockTime(at, now) }))
  const error = (text: string | null): string | null => (text === null ? null : t('near.error', { text }))
  const present = (is: boolean): Pick<Card, 'state' | 'tone'> => ({ state: is ? 'near.present' : 'near.absent', tone: is ? 'good' : 'plain' })
  return [
    { id: 'accountPool', ...present(accountPool.present), lines: [accountPool.handoffs > 0 ? t('near.handoffs', { n: accountPool.handoffs }) : null, last(accountPool.lastAt), error(accountPool.lastError), status.ofmHandoffExcludeProviders.length > 0 ? t('near.excluded', { list: status.ofmHandoffExcludeProviders.join(', ') }) : null] },
    { id: 'codearts', ...present(codearts.present), lines: [codearts.heals > 0 ? t('near.heals', { n: codearts.heals, failures: codearts.failures }) : null, last(codearts.lastAt), error(codearts.lastError)] },
    {
      id: 'guard', state: guard.enabled ? guard.biliActive ? 'near.active' : 'near.idle' : 'near.off', tone: guard.enabled && guard.biliActive ? 'good' : 'plain',
      lines: [guard.downgradedModels.length > 0 ? t('near.downgraded', { list: guard.downgradedModels.map(({ provider, model }) => `${provider}/${model}`).join(', ') }) : null, guard.degradedSessions.length > 0 ? t('near.degraded', { n: guard.degradedSessions.length }) : null, guard.lastDiagnosis?.hint ?? null],
      more: <Toggle name="compactionGuard" />,
    },
    {
      id: 'shim', state: !shim.enabled ? 'near.off' : shim.effective ? 'near.effective' : shim.installed ? 'near.waiting' : 'near.absent', tone: shim.effective ? 'good' : shim.enabled && shim.installed ? 'warn' : 'plain',
      lines: [shim.intercepted > 0 ? t('near.counts', { in: shim.intercepted, out: shim.forwarded, folded: shim.folded, fallback: shim.fallback }) : null, shim.hookRepair.state === 'absent' ? null : t('near.hook', { state: shim.hookRepair.state, detail: shim.hookRepair.detail }), error(shim.lastError)],
    },
  ]
}

export function Neighbours(): VNode {
  const { app } = useShared()
  const status = app.status.data.value
  if (status === null) return <p class="mf-muted" role="status">{t('loading')}</p>
  return (
    <div class="mf-pane">
      <p class="mf-muted">{t('near.intro')}</p>
      {cards(status, app.now.value).map((card) => (
        <section key={card.id} class="mf-card">
          <h3 class="mf-bar"><span class="mf-card-title">{t(`near.${card.id}` as TextKey)}</span><Chip tone={card.tone}>{t(card.state)}</Chip></h3>
          <p class="mf-muted">{t(`near.${card.id}.tip` as TextKey)}</p>
          {card.lines.filter((line) => line !== null).map((line) => <p key={line}>{line}</p>)}
          {card.more}
        </section>
      ))}
    </div>
  )
}
