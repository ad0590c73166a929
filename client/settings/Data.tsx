/** Import and export, the data folder, the skill, and the way home for every session. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Transfer } from './Transfer.tsx'

const SKILL = 'configure-model-failover'

export function Data(): VNode {
  const { app } = useShared()
  const [busy, setBusy] = useState(false)
  const status = app.status.data.value
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      app.notices.say(t('copied'))
    } catch {
      // A page without clipboard rights: the text stays selectable.
      app.notices.say(t('copyFailed'), 'error')
    }
  }
  const sendHome = async (): Promise<void> => {
    setBusy(true)
    const reply = await app.act(() => app.api.call('sendHome', { body: {} }))
    setBusy(false)
    if (reply === null) return
    const failed = reply.failed.length > 0 ? ` ${t('home.failed', { n: reply.failed.length, message: reply.failed[0]?.message ?? '' })}` : ''
    app.notices.say(`${t('home.done', { n: reply.returned.length })}${failed}`, failed === '' ? 'info' : 'error')
  }
  return (
    <div class="mf-pane">
      <Transfer />
      <section class="mf-card">
        <h3 class="mf-card-title">{t('data.folder')}</h3>
        <p class="mf-muted">{t('data.folderTip')}</p>
        <div class="mf-bar"><code class="mf-code mf-path">{status?.dataDir ?? ''}</code><Button icon="copy" disabled={status === null} onClick={() => void copy(status?.dataDir ?? '')}>{t('copy')}</Button></div>
      </section>
      <section class="mf-card">
        <h3 class="mf-card-title">{t('data.skill')}</h3>
        <p class="mf-muted">{t(status?.abilities.skills === false ? 'data.noSkill' : 'data.skillTip')}</p>
        <div class="mf-bar"><code class="mf-code">{SKILL}</code><Button icon="copy" onClick={() => void copy(t('data.skillPrompt', { skill: SKILL }))}>{t('data.skillCopy')}</Button></div>
      </section>
      <section class="mf-card">
        <h3 class="mf-card-title">{t('home.title')}</h3>
        <p class="mf-muted">{t('home.tip')}</p>
        <Button icon="home" disabled={busy} onClick={() => void sendHome()}>{t('home.act')}</Button>
      </section>
      {status !== null && <p class="mf-muted">{t('data.version', { version: status.version })}</p>}
    </div>
  )
}
