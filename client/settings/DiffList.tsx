/** What an import would change, line by line. */
import type { VNode } from 'preact'
import type { DiffLine } from '../../src/contract/transfer.ts'
import { t } from '../text.ts'

const show = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? ''
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

export function DiffList({ diff }: { readonly diff: readonly DiffLine[] }): VNode {
  if (diff.length === 0) return <p class="mf-muted">{t('diff.none')}</p>
  return (
    <ul class="mf-diff">
      {diff.map((line) => (
        <li key={`${line.op} ${line.path}`} class={`mf-diff-${line.op}`}>
          <b>{t(`diff.${line.op}`)}</b> <span>{line.path}</span>
          {line.op === 'change' && <span class="mf-muted">{show(line.before)} → {show(line.after)}</span>}
        </li>
      ))}
    </ul>
  )
}
