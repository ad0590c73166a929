/** The messages on top of the page. Every island mounts one; the newest draws, so that no message shows twice. */
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from './Button.tsx'
import { Layer } from './Layer.tsx'

const mounted = signal<readonly object[]>([])

export function Toaster(): VNode | null {
  const { app } = useShared()
  const [mine] = useState({})
  useEffect(() => {
    mounted.value = [...mounted.peek(), mine]
    return () => { mounted.value = mounted.peek().filter((other) => other !== mine) }
  }, [mine])
  if (mounted.value.at(-1) !== mine) return null
  return (
    <Layer>
      <div class="mf-toasts" role="status" aria-live="polite" aria-label={t('notices')}>
        {app.notices.list.value.map((notice) => (
          <div key={notice.id} class={`mf-toast mf-toast-${notice.tone}`}>
            <span>{notice.text}</span>
            <Button kind="icon" icon="close" label={t('close')} onClick={() => app.notices.dismiss(notice.id)} />
          </div>
        ))}
      </div>
    </Layer>
  )
}
