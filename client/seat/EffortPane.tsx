/** How hard the model should think. */
import type { VNode } from 'preact'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { effortWord } from '../words.ts'

export function EffortPane({ session, efforts, onDone }: { readonly session: SessionModel; readonly efforts: readonly string[]; readonly onDone: () => void }): VNode {
  const route = session.route.value
  const roving = useRoving('')
  const choose = async (effort: string): Promise<void> => {
    if (route === null) return
    const { provider, model } = route
    if (await session.select(effort === '' ? { provider, model } : { provider, model, effort })) onDone()
  }
  return (
    <ul class="mf-rows" aria-label={t('effort')} onKeyDown={roving.onKeyDown}>
      {['', ...efforts].map((effort) => (
        <li key={effort} {...roving.row(effort)}>
          <button type="button" class="mf-option" aria-current={(route?.effort ?? '') === effort} disabled={session.busy.value} tabIndex={roving.tab(effort)} onClick={() => void choose(effort)}>
            <span class="mf-grow">{effort === '' ? t('effort.default') : effortWord(effort)}</span>
            <span class="mf-check">{(route?.effort ?? '') === effort && <Icon name="check" />}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
