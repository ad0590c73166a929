// The walk of one failing request through the house: the rooms in their order, the file of each, and what happens there.
import { code, table, type Language } from './page.ts'

interface Told {
  readonly title: string
  readonly text: string
}

export interface Room {
  readonly file: string
  readonly en: Told
  readonly zh: Told
}

/** Each room is entered once per failure. */
export const ROOMS: readonly Room[] = [
  {
    file: 'src/host/inlets.ts',
    en: { title: 'Heard', text: 'A model call failed. The route is read from the request, never guessed.' },
    zh: { title: '听到', text: '模型调用失败。用的是哪个模型，从请求里读，不猜。' },
  },
  {
    file: 'src/domain/classify.ts',
    en: { title: 'Judged', text: 'Code, status and words give a class, its reach, and a stated reset.' },
    zh: { title: '判定', text: '由错误码、状态码和文字得出类别、波及范围、上游说的恢复时间。' },
  },
  {
    file: 'src/domain/patience.ts',
    en: { title: 'Host first', text: 'Its own retries and compaction come first, unless they cannot help.' },
    zh: { title: '宿主优先', text: '先让宿主自己重试或压缩，除非那样无济于事。' },
  },
  {
    file: 'src/services/remedies.ts',
    en: { title: 'Remedied', text: 'Another account, or a restart of the plugin that failed, if such a neighbour is there.' },
    zh: { title: '补救', text: '有相应的邻居插件时，换一个账号，或重启出错的插件。' },
  },
  {
    file: 'src/services/health-outcomes.ts',
    en: { title: 'Remembered', text: 'Breaker, endpoint, hold and day mark, as the class says.' },
    zh: { title: '记下', text: '按类别记入熔断、接口健康、停用期限和当日失败。' },
  },
  {
    file: 'src/domain/decide.ts',
    en: { title: 'Decided', text: 'The best entry that can serve and that fits; for each other one the reason why not.' },
    zh: { title: '决定', text: '选出可用又合适的最优条目；其余每个都写明为何不选。' },
  },
  {
    file: 'src/services/moves.ts',
    en: { title: 'Written', text: 'Your own model is on disk as home before anything is sent elsewhere.' },
    zh: { title: '落盘', text: '发往别处之前，先把你自己的模型作为原模型写到磁盘。' },
  },
  {
    file: 'src/services/choose.ts',
    en: { title: 'Sent', text: 'The same step is built again and goes out on the new route.' },
    zh: { title: '重发', text: '同一步骤重新构造，发往新的模型。' },
  },
  {
    file: 'src/services/calls.ts',
    en: { title: 'Guarded', text: 'Slot, clock, and a gate that holds frames until the first one with content.' },
    zh: { title: '把关', text: '并发位、计时，以及等到首个有内容的帧才放行的闸门。' },
  },
  {
    file: 'src/domain/turnstart.ts',
    en: { title: 'Home again', text: 'At the start of a turn, as soon as home can serve.' },
    zh: { title: '返回', text: '原模型恢复后，在下一轮开始时返回。' },
  },
]

/** Ways out of the walk: `at` = index of the room that leaves by it. */
export const EXITS: readonly (Room & { readonly at: number })[] = [
  {
    at: 5,
    file: 'src/domain/honest.ts',
    en: { title: 'Nothing is left', text: 'One error: what was tried, what returns first and when.' },
    zh: { title: '无处可换', text: '一条错误：试过什么、谁最先恢复、何时恢复。' },
  },
  {
    at: 7,
    file: 'src/services/continuation.ts',
    en: { title: 'The host has fixed the model', text: 'The turn closes; the goal or one message goes on.' },
    zh: { title: '宿主已固定模型', text: '本轮结束；恢复目标，或用一条消息继续。' },
  },
]

/** The walk as a table. */
export function walkTable(language: Language): string {
  const heads = language === 'en' ? ['', 'room', 'what happens', 'file'] : ['', '步骤', '发生什么', '文件']
  const rows = ROOMS.map((room, at) => [String(at + 1), room[language].title, room[language].text, link(room.file)])
  const exits = EXITS.map((exit) => [`${exit.at + 1} →`, exit[language].title, exit[language].text, link(exit.file)])
  return table(heads, [...rows, ...exits])
}

function link(file: string): string {
  return `[${code(file)}](../${file})`
}
