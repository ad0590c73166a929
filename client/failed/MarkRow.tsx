/** One model that failed today: code, reason on demand, count, and what clears it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StatusReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Chip } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { classWord, routeName } from '../words.ts'

export function MarkRow({ mark }: { readonly mark: StatusReply['failed'][number] }): VNode {
  const { app, routes } = useShared()
  const [open, setOpen] = useState(false)
  const name = routeName(app.models.data.value, mark)
  return (
    <li class="mf-row mf-mark">
      <div class="mf-row-text">
        <span class="mf-row-name">{name.model}<span class="mf-row-sub">{name.provider}</span></span>
        <span class="mf-row-sub">
          <Chip tone="bad">{mark.manual ? t('failed.manual') : classWord(mark.class)}</Chip>
          {mark.code && <code class="mf-code">{mark.code}</code>}
          <span>{t('failed.count', { n: mark.count, at: clockTime(mark.at, app.now.value) })}</span>
        </span>
        <span class="mf-row-sub">{t(mark.manual ? 'failed.clearsManual' : mark.clears === 'evidence' ? 'failed.clearsEvidence' : 'failed.clearsDay')} · <Countdown until={mark.until} /></span>
        {open && <p class="mf-reason">{mark.reason}</p>}
      </div>
      {mark.reason && <Button kind="text" icon={open ? 'up' : 'down'} onClick={() => setOpen(!open)}>{t(open ? 'failed.hide' : 'failed.reason')}</Button>}
      <Button label={t('failed.restoreOf', { model: name.model })} onClick={() => void routes.restore([mark])}>{t('restore')}</Button>
    </li>
  )
}
