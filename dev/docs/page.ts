// The generated parts of a page: between `<!-- generated: name -->` and `<!-- end -->`, and nowhere else.

export type Language = 'en' | 'zh'

/** The parts of a page by name. */
export type Parts = Readonly<Record<string, string>>

const PART = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g

/** The names of the parts that a page asks for, in their order. */
export function partsOf(text: string): string[] {
  return [...text.matchAll(PART)].map(([, , name]) => name ?? '')
}

/** The page with every part written anew; throws for a part that nobody generates. */
export function rendered(text: string, parts: Parts): string {
  return text.replaceAll(PART, (_whole, open: string, name: string, close: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`no generator makes the part ${name}; there are ${Object.keys(parts).join(', ')}`)
    return `${open}${part.trim()}\n${close}`
  })
}

/** A table; bars inside cells are escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export const code = (text: string): string => `\`${text}\``
