/** The table of the dashboard; only rows on screen are drawn. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { COLUMNS } from '../model/table.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Row } from './Row.tsx'

export const ROW_HEIGHT = 100

export function Table({ provider }: { readonly provider: string | null }): VNode {
  const { dashboard } = useShared()
  const lines = dashboard.lines.value.filter(({ row }) => !provider || row.provider === provider)
  const sort = dashboard.sort.value
  const roving = useRoving(lines[0]?.key)
  return (
    <div class="mf-table" tabIndex={0} role="region" aria-label={t('tab.dashboard')}>
      <table aria-rowcount={lines.length + 1}>
        <thead>
          <tr>
            {COLUMNS.map((column) => {
              const direction = sort?.column === column && sort.direction
              return (
                <th key={column} class={`mf-col-${column}`} aria-sort={direction ? `${direction}ending` : 'none'}>
                  <button type="button" data-mf-tip={t('board.sortTip')} onClick={() => dashboard.cycle(column)}>{t(`col.${column}`)}{direction && <Icon name="down" up={direction === 'asc'} />}</button>
                </th>
              )
            })}
          </tr>
        </thead>
        <Rows as="table" items={lines} height={ROW_HEIGHT} label="" roving={roving} render={(line) => <Row key={line.key} line={line} roving={roving} />} />
      </table>
    </div>
  )
}
