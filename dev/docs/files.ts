// The files of the data folder, by the names the store gives them.
import { basename } from 'node:path'
import { Day } from '../../src/store/day.ts'
import { realFiles } from '../../src/store/files.ts'
import { FILES, METRICS_FOLDER } from '../../src/store/layout.ts'
import { IMPORTED_FOLDER } from '../../src/store/legacy-metrics.ts'
import { code, table, type Language } from './page.ts'

type Said = Readonly<Record<Language, string>>

const CONTENT: Readonly<Record<keyof typeof FILES, Said>> = {
  groups: { en: 'the routing groups', zh: '路由分组' },
  bindings: { en: 'per session: group, mode, pin, home, where it was moved, consents; dropped after 90 days without the session', zh: '每个会话：分组、模式、固定、原模型、换到哪里、放行；会话 90 天未见即丢弃' },
  defaultBinding: { en: 'the binding of new sessions', zh: '新会话的默认绑定' },
  failed: { en: 'the failed models of this usage day', zh: '本使用日的失败模型' },
  settings: { en: 'what was chosen on the settings page', zh: '设置页里改过的选项' },
  concurrency: { en: 'concurrency limits per model', zh: '各模型的并发上限' },
  health: { en: 'stated holds and endpoint states', zh: '有期限的停用，以及接口地址状态' },
  imported: { en: 'what was taken over from the older plugin, and when', zh: '从旧插件导入了什么、何时导入' },
}

const day = new Day(0, { files: realFiles, folder: METRICS_FOLDER, report: () => {}, setAside: async () => false })
const dayFile = (path: string): string => `${METRICS_FOLDER}/${basename(path).replace(day.name, '<day>')}`

const SAMPLES: readonly (readonly [name: string, said: Said])[] = [
  [dayFile(day.linesPath), { en: 'one line per model call of a Beijing day: times, tokens, outcome; no prompt and no answer', zh: '北京时间一天内每次模型调用一行：时间、token、结果；不含提示词和回答' }],
  [dayFile(day.sealedPath), { en: 'the figures of a day that is over, so that a start reads no lines', zh: '已结束日子的统计，启动时不必逐行读取' }],
  [`${METRICS_FOLDER}/${IMPORTED_FOLDER}/`, { en: 'the samples of the older plugin, in the same two forms', zh: '旧插件的样本，同样两种形式' }],
]

export function filesTable(language: Language): string {
  const heads = language === 'en' ? ['file', 'holds'] : ['文件', '内容']
  const documents = (Object.keys(FILES) as (keyof typeof FILES)[]).map((key) => [code(FILES[key]), CONTENT[key][language]])
  return table(heads, [...documents, ...SAMPLES.map(([name, said]) => [code(name), said[language]])])
}
