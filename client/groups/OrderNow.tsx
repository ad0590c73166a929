/** The order in which a group would be tried at this moment. */
import type { VNode } from 'preact'
import type { CandidateVerdict } from '../../src/contract/status.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Modal } from '../ui/Modal.tsx'
import { keyOf, routeText } from '../words.ts'
import { VerdictChip } from './VerdictChip.tsx'

export function OrderNow({ verdicts, onClose }: { readonly verdicts: readonly CandidateVerdict[]; readonly onClose: () => void }): VNode {
  const { app } = useShared()
  return (
    <Modal title={t('order.now')} onClose={onClose}>
      <ol class="mf-modal-body mf-order" tabIndex={0}>
        {verdicts.map((verdict, index) => (
          <li key={keyOf(verdict.route)} class={verdict.routable ? 'mf-candidate' : 'mf-candidate mf-off'}>
            <span class="mf-rank">{verdict.routable ? index + 1 : '–'}</span>
            <span class="mf-grow">{routeText(app.models.data.value, verdict.route)}</span>
            <VerdictChip verdict={verdict} />
          </li>
        ))}
      </ol>
    </Modal>
  )
}
