/** The honest end of a turn: the error itself where the host hides it behind its retry row, what was tried, and what helps. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Offers } from '../seat/Offers.tsx'
import { t } from '../text.ts'
import { sentence } from '../words.ts'
import type { EndData } from './definitions.ts'
import { useNode } from './useNode.ts'
import type { NodeProps } from './useNode.ts'

/** Offers and countdowns belong to a recent failure only. */
const LIVE_MS = 3_600_000
/** What stands between the upstream's words and the plugin's own. */
const OWN_WORDS = '\n[Model Failover] '

export function EndNode({ props }: { readonly props: ReadonlySignal<NodeProps<EndData>> }): VNode | null {
  const { node, data, fresh } = useNode(props, LIVE_MS)
  const offers = fresh && node.info.data.value?.offer.length
  if (!data.retried && !offers) return null
  const [upstream, ...own] = data.message.split(OWN_WORDS)
  return (
    <div class="mf mf-note mf-pane" role="status">
      {data.retried && (
        <div>
          <i class="mf-light mf-is-failed" /> <b>{t('node.failed')}</b> {sentence(upstream ?? '')} <code>{data.code}</code>
          {own.map((text) => <p key={text} class="mf-muted">{text}</p>)}
        </div>
      )}
      {offers ? <Offers session={node} /> : ''}
    </div>
  )
}
