/** Models under the titles of their providers; the chosen ones carry a check mark. */
import type { VNode } from 'preact'
import type { Route } from '../../src/contract/route.ts'
import type { Found } from '../seat/search.ts'
import { t } from '../text.ts'
import { keyOf } from '../words.ts'
import { useRoving } from './focus.ts'
import { Icon } from './Icon.tsx'
import { Rows } from './Rows.tsx'

const ROW = 38

type Item = string | Found

/** Models with a title in front of each provider's. */
export function titled(found: readonly Found[]): readonly Item[] {
  return found.flatMap((item, index) => (item.provider === found[index - 1]?.provider ? [item] : [item.provider.name, item]))
}

export interface OptionListProps {
  readonly found: readonly Found[]
  readonly chosen: (route: Route) => boolean
  readonly onPress: (route: Route) => void
  readonly disabled?: boolean
}

export function OptionList({ found, chosen, onPress, disabled }: OptionListProps): VNode {
  const roving = useRoving(found[0] && keyOf(found[0].route))
  if (!found.length) return <p class="mf-empty">{t('models.none')}</p>
  return (
    <Rows
      items={titled(found)}
      height={ROW}
      label={t('tab.models')}
      roving={roving}
      render={(item) => {
        if (typeof item === 'string') return <li key={item} class="mf-group-title">{item}</li>
        const key = keyOf(item.route)
        return (
          <li key={key} {...roving.row(key)}>
            <button type="button" class="mf-option" aria-pressed={chosen(item.route)} disabled={disabled} tabIndex={roving.tab(key)} onClick={() => onPress(item.route)}>
              <span class="mf-grow">{item.model.name}</span>
              {chosen(item.route) && <Icon name="check" />}
            </button>
          </li>
        )
      }}
    />
  )
}
