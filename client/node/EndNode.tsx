/** The honest end of a turn: the error itself where the host hides it behind its retry row, the first return, and the one act that helps. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Offers } from '../seat/Offers.tsx'
import { t } from '../text.ts'
import { Countdown } from '../ui/Countdown.tsx'
import { routeText } from '../words.ts'
import type { EndData } from './definitions.ts'
import { decisionOfEnd } from './match.ts'
import { useNode } from './useNode.ts'
import type { NodeProps } from './useNode.ts'

/** Offers and countdowns belong to a recent failure only. */
const LIVE_MS = 3_600_000
/** What stands between the upstream's words and the plugin's own. */
const OWN_WORDS = '\n[Model Failover] '
/** The sentence inside of an error object, which is all of it that people read. */
const INNER = /\{.*?"message":"(.+?)(?<!\\)".*\}/s

export function EndNode({ props }: { readonly props: ReadonlySignal<NodeProps<EndData>> }): VNode | null {
  const { app, node, data, fresh } = useNode(props, LIVE_MS)
  const offers = fresh && node.info.data.value?.offer.length
  if (!data.retried && !offers) return null
  const [upstream, ...own] = data.message.split(OWN_WORDS)
  const candidates = (fresh && decisionOfEnd(node.decisions.data.value ?? [], data)?.candidates) || []
  const next = candidates.filter(({ routable, until }) => !routable && until && until > app.now.value).toSorted((a, b) => (a.until ?? 0) - (b.until ?? 0))[0]
  return (
    <div class="mf mf-note mf-pane" role="status">
      {data.retried && (
        <div>
          <i class="mf-light mf-is-failed" /> <b>{t('node.failed')}</b> {upstream?.replace(INNER, '$1')} <code>{data.code}</code>
          {own.map((text) => <p key={text} class="mf-muted">{text}</p>)}
          {next?.until && <p class="mf-muted">{routeText(app.models.data.value, next.route)}: <Countdown until={next.until} /></p>}
        </div>
      )}
      {offers ? <Offers session={node} /> : ''}
    </div>
  )
}
