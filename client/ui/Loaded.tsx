/** The state of a resource in front of its content: loading, failed (with the last good data kept below), offline. */
import type { ComponentChildren, VNode } from 'preact'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import { refusalText } from '../words.ts'
import { Button } from './Button.tsx'
import { Notice } from './Notice.tsx'

export function Loaded<T>({ of, children }: { readonly of: Pick<Resource<T>, 'data' | 'error' | 'refresh'>; readonly children: (data: T) => ComponentChildren }): VNode {
  const data = of.data.value
  const error = of.error.value
  return (
    <>
      {error && <Notice error>{refusalText(error)} {data !== null && t('state.lastGood')} <Button kind="text" onClick={() => void of.refresh()}>{t('act.retry')}</Button></Notice>}
      {data === null ? !error && <p class="mf-muted" role="status">{t('state.loading')}</p> : children(data)}
    </>
  )
}
