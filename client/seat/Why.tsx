/** Why is this the model: where the session stands, every candidate with its reason, and its last decisions. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { VerdictChip } from '../groups/VerdictChip.tsx'
import { useShared, useWatch } from '../model/context.ts'
import { sessionHealth } from '../model/health.ts'
import { createPoll } from '../model/poll.ts'
import { SESSION_MS } from '../model/session.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Problems } from '../ui/Problems.tsx'
import { keyOf, routeText, sameRoute } from '../words.ts'
import { healthText } from './Badge.tsx'
import { DecisionItem } from './DecisionItem.tsx'
import { Offers } from './Offers.tsx'

export function Why({ session, onClose }: { readonly session: SessionModel; readonly onClose: () => void }): VNode {
  const { app } = useShared()
  const poll = useMemo(() => createPoll(app.clock, SESSION_MS, () => session.decisions.refresh()), [app, session])
  useWatch(poll.watch)
  const info = session.info.data.value
  const route = session.route.value
  const models = app.models.data.value
  const health = sessionHealth(app.status.data.value, info, route, app.now.value)
  return (
    <Modal size="small" title={t('why.title')} onClose={onClose}>
      <div class="mf-modal-scroll mf-modal-body mf-pane" tabIndex={0} data-mf-first>
        <Problems />
        <p class="mf-lead">{route === null ? t('seat.choose') : routeText(models, route)}</p>
        <p>{healthText(app, session, health)} {health.until !== null && <Countdown until={health.until} />}</p>
        {info?.group && <p class="mf-muted">{t('badge.group', { name: info.group.name, mode: t(`bind.${info.pinned ? 'pin' : info.mode ?? 'none'}`) })}{info.inheritedFrom !== null && ` · ${t('bind.inherited')}`}</p>}
        {info && !info.group && <p class="mf-muted">{t('badge.none')}</p>}
        {health.tone === 'moved' && info?.home && <Button icon="home" disabled={session.busy.value} onClick={() => void session.goHome()}>{t('why.goHome', { model: routeText(models, info.home) })}</Button>}
        <Offers session={session} />
        {info !== null && info.verdicts.length > 0 && (
          <section>
            <h3 class="mf-subtitle">{t('why.candidates')}</h3>
            <ul class="mf-rows">
              {info.verdicts.map((verdict) => (
                <li key={keyOf(verdict.route)} class="mf-candidate">
                  <span class="mf-rank">{verdict.priority}</span>
                  <span class="mf-grow">{routeText(models, verdict.route)}{sameRoute(verdict.route, route) && <b> · {t('why.here')}</b>}</span>
                  <VerdictChip verdict={verdict} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <section>
          <h3 class="mf-subtitle">{t('why.decisions')}</h3>
          <Loaded of={session.decisions}>
            {(decisions) => (decisions.length === 0
              ? <p class="mf-muted">{t('why.noDecisions')}</p>
              : <ol class="mf-timeline">{[...decisions].sort((a, b) => b.at - a.at).slice(0, 12).map((decision, index) => <DecisionItem key={`${decision.at}-${index}`} decision={decision} />)}</ol>)}
          </Loaded>
        </section>
      </div>
    </Modal>
  )
}
