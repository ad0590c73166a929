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
  const lines = dashboard.lines.value.filter(({ row }) => provider === null || row.provider === provider)
  const sort = dashboard.sort.value
  const roving = useRoving(lines[0]?.key)
  return (
    <div class="mf-table-box" tabIndex={0} role="region" aria-label={t('tab.dashboard')}>
      <table class="mf-table" aria-rowcount={lines.length + 1}>
        <colgroup>{COLUMNS.map((column) => <col key={column} class={`mf-col-${column}`} />)}</colgroup>
        <thead>
          <tr>
            {COLUMNS.map((column) => {
              const direction = sort?.column === column ? sort.direction : null
              return (
                <th key={column} scope="col" aria-sort={direction === null ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}>
                  <button type="button" class="mf-sort" data-mf-tip={t('board.sortTip')} onClick={() => dashboard.cycle(column)}>
                    {t(`col.${column}`)}
                    <span class="mf-sort-mark">{direction !== null && <Icon name={direction === 'asc' ? 'up' : 'down'} size={12} />}</span>
                  </button>
                </th>
              )
            })}
          </tr>
        </thead>
        <Rows as="table" columns={COLUMNS.length} items={lines} height={ROW_HEIGHT} label={t('tab.dashboard')} onKeyDown={roving.onKeyDown} render={(line) => <Row key={line.key} line={line} roving={roving} />} />
      </table>
    </div>
  )
}
