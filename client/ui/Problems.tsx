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
      {app.offline.value && <Notice tone="error">{t('offline')} {status !== null && t('lastGood')}</Notice>}
      {app.outdated.value && <Notice tone="warn">{t('outdated')} <Button kind="text" onClick={() => location.reload()}>{t('reload')}</Button></Notice>}
      {status?.configErrors.map((error) => (
        <Notice key={error.key} tone="error">
          {t('config.error', { key: error.key || '–', value: error.value, message: error.message })}
          {error.nearest !== null && ` ${t('config.nearest', { key: error.nearest })}`}
        </Notice>
      ))}
      {status !== null && !status.enabled && status.configErrors.length === 0 && <Notice tone="warn">{t('config.off')}</Notice>}
      {status?.storeProblems.map((problem) => <Notice key={problem.file} tone="warn">{t('config.file', { file: problem.file, problem: problem.problem })}</Notice>)}
      {full === true && status?.abilities.reduced.map((key) => <Notice key={key}>{word(`reduced.${key}`, key)}</Notice>)}
    </>
  )
}
