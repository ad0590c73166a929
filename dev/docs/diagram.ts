// Draws the walk of a failing request as an SVG that follows the reader's light or dark page.
import type { Language } from './page.ts'
import { EXITS, ROOMS, type Room } from './walk.ts'

const COLUMNS = 5
const BOX = { width: 184, height: 124, gapX: 20, gapY: 42, left: 16, top: 48 }
const EXIT = { width: 2 * BOX.width + BOX.gapX, height: 80 }
const WIDTH = 2 * BOX.left + COLUMNS * BOX.width + (COLUMNS - 1) * BOX.gapX
const ROWS = Math.ceil(ROOMS.length / COLUMNS)
const HEIGHT = BOX.top + ROWS * (BOX.height + BOX.gapY) + EXIT.height + 16
const TITLE = { en: 'What happens to one failing request', zh: '一次失败的请求会经过什么' } as const

const STYLE = `
  text { font: 12.5px system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Noto Sans CJK SC', sans-serif; fill: #1f2328 }
  .head { font-size: 16px; font-weight: 600 }
  .title { font-size: 14px; font-weight: 600 }
  .file { font: 10px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #59636e }
  .box { fill: #f6f8fa; stroke: #8c959f }
  .exit { fill: none; stroke: #8c959f; stroke-dasharray: 5 4 }
  .line { fill: none; stroke: #59636e; stroke-width: 1.5 }
  .tip { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .file { fill: #9198a1 }
    .box { fill: #151b23; stroke: #656c76 }
    .exit { stroke: #656c76 }
    .line { stroke: #9198a1 }
    .tip { fill: #9198a1 }
  }`

/** The whole picture. */
export function walkDiagram(language: Language): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${TITLE[language]}">`,
    `<style>${STYLE}\n</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
    `<text class="head" x="${BOX.left}" y="28">${TITLE[language]}</text>`,
    ...ROOMS.flatMap((room, at) => [...box(room, at, language), ...arrow(at)]),
    ...EXITS.flatMap((exit) => exitBox(exit, exit.at, language)),
    '</svg>',
    '',
  ].join('\n')
}

function place(at: number): { readonly x: number; readonly y: number } {
  return { x: BOX.left + (at % COLUMNS) * (BOX.width + BOX.gapX), y: BOX.top + Math.floor(at / COLUMNS) * (BOX.height + BOX.gapY) }
}

function box(room: Room, at: number, language: Language): string[] {
  const { x, y } = place(at)
  return framed('box', { x, y, width: BOX.width, height: BOX.height }, { ...room[language], title: `${at + 1}. ${room[language].title}` }, room.file)
}

interface Frame { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

function framed(kind: 'box' | 'exit', { x, y, width, height }: Frame, { title, text }: Room['en'], file: string): string[] {
  const lines = wrapped(text, width - 22, 12.5)
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    `<text class="title" x="${x + 11}" y="${y + 22}">${escape(title)}</text>`,
    ...lines.map((line, at) => `<text x="${x + 11}" y="${y + 42 + at * 16}">${escape(line)}</text>`),
    `<text class="file" x="${x + 11}" y="${y + height - 10}">${escape(file.replace(/^src\//, ''))}</text>`,
  ]
}

/** From this room to the next: straight along a row, around the corner at its end. */
function arrow(at: number): string[] {
  if (at === ROOMS.length - 1) return []
  const from = place(at)
  const to = place(at + 1)
  const middle = from.y + BOX.height / 2
  if (to.y === from.y) return [line(`M${from.x + BOX.width} ${middle}H${to.x - 2}`)]
  const between = from.y + BOX.height + BOX.gapY / 2
  return [line(`M${from.x + BOX.width / 2} ${from.y + BOX.height}V${between}H${to.x + BOX.width / 2}V${to.y - 2}`)]
}

function exitBox(exit: Room, at: number, language: Language): string[] {
  const { x, y: above } = place(at)
  const y = BOX.top + ROWS * (BOX.height + BOX.gapY)
  return [...framed('exit', { x, y, ...EXIT }, exit[language], exit.file), line(`M${x + BOX.width / 2} ${above + BOX.height}V${y - 2}`)]
}

const line = (path: string): string => `<path class="line" d="${path}" marker-end="url(#tip)"/>`

const WIDE = /[\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]/

/** Lines no wider than `width` px, estimated: a Chinese character is as wide as the type is high, a Latin one half of it. */
function wrapped(text: string, width: number, size: number): string[] {
  const words = text.match(/[\u2e80-\u9fff\uff00-\uffef][，。；：、]?|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*/g) ?? []
  const lines: string[] = []
  let current = ''
  for (const word of words) {
    if (current !== '' && widthOf(current + word.trimEnd(), size) > width) {
      lines.push(current.trimEnd())
      current = ''
    }
    current += word
  }
  return [...lines, current.trimEnd()]
}

function widthOf(text: string, size: number): number {
  return Array.from(text).reduce((sum, letter) => sum + (WIDE.test(letter) ? size : size * 0.53), 0)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
