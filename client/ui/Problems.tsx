/** What is wrong with the plugin as a whole: no answer, another version, a refused config, files set aside, missing abilities. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t, word } from '../text.ts'
import { Button } from './Button.tsx'
import { Notice } from './Notice.tsx'

export function Problems({ full }: { readonly full?: boolean }): VNode {
  const { app } = useShared()
  const status = app.status.data.value
  return (
    <>
      {app.offline.value && <Notice error>{t('state.offline')} {status && t('state.lastGood')}</Notice>}
      {app.outdated.value && <Notice>{t('state.outdated')} <Button kind="text" onClick={() => location.reload()}>{t('act.reload')}</Button></Notice>}
      {status?.configErrors.map(({ key, value, message, nearest }) => <Notice key={key} error>{t('config.error', { key, value, message })} {nearest && t('config.nearest', { key: nearest })}</Notice>)}
      {status && !status.enabled && !status.configErrors.length && <Notice>{t('config.off')}</Notice>}
      {status?.storeProblems.map(({ file, problem }) => <Notice key={file}>{t('config.file', { file, problem })}</Notice>)}
      {full && status?.abilities.reduced.map((key) => <Notice key={key}>{word(`reduced.${key}`, key)}</Notice>)}
    </>
  )
}
