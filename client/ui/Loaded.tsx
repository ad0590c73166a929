/** The state of a resource in front of its content: loading, failed (with the last good data kept below), offline. */
import type { ComponentChildren, VNode } from 'preact'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import { refusalText } from '../words.ts'
import { Button } from './Button.tsx'
import { Notice } from './Notice.tsx'

export function Loaded<T>({ of, children }: { readonly of: Resource<T>; readonly children: (data: T) => ComponentChildren }): VNode {
  const data = of.data.value
  const error = of.error.value
  return (
    <>
      {error !== null && (
        <Notice tone="error">
          {error.status === 0 ? t('offline') : refusalText(error)}
          {data !== null && ` ${t('lastGood')}`}
          <Button kind="text" onClick={() => void of.refresh()}>{t('retry')}</Button>
        </Notice>
      )}
      {data === null ? error === null && <p class="mf-muted" role="status">{t('loading')}</p> : children(data)}
    </>
  )
}
