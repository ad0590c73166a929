/** Why is this the model: where the session stands, every candidate with its reason, and its last decisions. */
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { useShared, useWatch } from '../model/context.ts'
import { sessionHealth } from '../model/health.ts'
import { createPoll } from '../model/poll.ts'
import { SESSION_MS } from '../model/session.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Candidates } from '../ui/Candidates.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Problems } from '../ui/Problems.tsx'
import { routeText } from '../words.ts'
import { boundText, healthText } from './Badge.tsx'
import { DecisionItem } from './DecisionItem.tsx'
import { Offers } from './Offers.tsx'

export function Why({ session, onClose }: { readonly session: SessionModel; readonly onClose: () => void }): VNode {
  const { app } = useShared()
  useWatch(useMemo(() => createPoll(app.clock, SESSION_MS, session.decisions.refresh).watch, [app, session]))
  useWatch(app.tick)
  const info = session.info.data.value
  const route = session.route.value
  const models = app.models.data.value
  const health = sessionHealth(app.status.data.value, info, route)
  return (
    <Modal title={t('why.title')} onClose={onClose}>
      <div class="mf-scroll mf-pane" tabIndex={0} autoFocus>
        <Problems />
        <h3>{route ? routeText(models, route) : t('seat.choose')}</h3>
        <p>{healthText(app, session, health)}</p>
        <p class="mf-muted">{boundText(session)} {info?.inheritedFrom && t('bind.inherited')}</p>
        {health.tone === 'moved' && info?.home && <div><Button disabled={session.busy.value} onClick={() => void session.goHome()}>{t('why.goHome', { model: routeText(models, info.home) })}</Button></div>}
        <Offers session={session} />
        {info?.verdicts.length ? <><h3>{t('why.candidates')}</h3><Candidates verdicts={info.verdicts} current={route} /></> : ''}
        <h3>{t('why.decisions')}</h3>
        <Loaded of={session.decisions}>
          {(decisions) => (decisions.length
            ? <ol>{decisions.toSorted((a, b) => b.at - a.at).slice(0, 12).map((decision, index) => <DecisionItem key={`${decision.at} ${index}`} decision={decision} />)}</ol>
            : <p class="mf-muted">{t('why.noDecisions')}</p>)}
        </Loaded>
      </div>
    </Modal>
  )
}
