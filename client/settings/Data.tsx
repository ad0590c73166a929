/** Import and export, the data folder, the skill, and the way home for every session. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Transfer } from './Transfer.tsx'

export function Data(): VNode {
  const { app } = useShared()
  const { dataDir = '', version = '' } = app.status.data.value ?? {}
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      app.notices.say(t('act.copied'))
    } catch {
      // A page without clipboard rights: the text itself can be copied from the message.
      app.notices.say(text)
    }
  }
  const sendHome = async (): Promise<void> => {
    const reply = await app.act(() => app.api.call('sendHome', { body: {} }))
    if (reply) app.notices.say([t('home.done', { n: reply.returned.length }), ...reply.failed.map(({ message }) => message)].join(' '))
  }
  return (
    <>
      <Transfer />
      <section class="mf-card">
        <h3>{t('data.folder')}</h3>
        <div class="mf-bar"><code>{dataDir}</code><Button onClick={() => void copy(dataDir)}>{t('act.copy')}</Button></div>
      </section>
      <section class="mf-card">
        <h3>{t('data.skill')}</h3>
        <p class="mf-muted">{t(app.status.data.value?.abilities.skills === false ? 'data.noSkill' : 'data.skillTip')}</p>
        <code>configure-model-failover</code>
      </section>
      <section class="mf-card">
        <h3>{t('home.title')}</h3>
        <p class="mf-muted">{t('home.tip')}</p>
        <Button onClick={() => void sendHome()}>{t('home.act')}</Button>
      </section>
      <small>v{version}</small>
    </>
  )
}
