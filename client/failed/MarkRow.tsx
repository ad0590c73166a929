/** One model that failed today: code, reason on demand, count, and what clears it. */
import type { VNode } from 'preact'
import type { StatusReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Chip } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { classWord, routeText } from '../words.ts'

export function MarkRow({ mark }: { readonly mark: StatusReply['failed'][number] }): VNode {
  const { app, routes } = useShared()
  const { provider, model, manual, code, reason } = mark
  const name = routeText(app.models.data.value, { provider, model })
  return (
    <li class="mf-row">
      <div class="mf-grow">
        <b>{name}</b>
        <p class="mf-muted"><Chip tone="failed">{manual ? t('failed.manual') : classWord(mark.class)}</Chip> <code>{code}</code> {t('failed.count', { n: mark.count, at: clockTime(mark.at, app.now.value) })}</p>
        <p class="mf-muted">{t(`failed.by.${manual ? 'hand' : mark.clears}`)} · <Countdown until={mark.until} /></p>
        {reason && <details><summary>{t('failed.reason')}</summary><p class="mf-reason">{reason}</p></details>}
      </div>
      <Button label={t('act.restoreOf', { model: name })} onClick={() => void routes.restore([mark])}>{t('act.restore')}</Button>
    </li>
  )
}
