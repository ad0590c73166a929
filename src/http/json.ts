/** Where a text stops being JSON: engines do not say it for every text, and a person who pasted a document needs it. */

type Expect = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing'

const SPACE = new Set([' ', '\t', '\n', '\r'])
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Offset of the first character that cannot stand there, the length of a text that ends too early, -1 for legal JSON. */
export function jsonErrorAt(text: string): number {
  const open: string[] = []
  let expect = 'value' as Expect
  const after = (): Expect => (open.length === 0 ? 'nothing' : 'comma-or-end')
  let at = 0
  for (;;) {
    while (SPACE.has(text[at] ?? '')) at++
    const char = text[at]
    if (char === undefined) return expect === 'nothing' ? -1 : text.length
    if (expect === 'nothing') return at
    if (expect === 'colon') {
      if (char !== ':') return at
      expect = 'value'
      at++
    } else if (closes(char, expect)) {
      if (open.pop() !== (char === '}' ? '{' : '[')) return at
      expect = after()
      at++
    } else if (expect === 'comma-or-end') {
      if (char !== ',') return at
      expect = open.at(-1) === '{' ? 'key' : 'value'
      at++
    } else if (char === '"') {
      const end = stringEnd(text, at)
      if (end.bad) return end.at
      expect = expect === 'key' || expect === 'key-or-end' ? 'colon' : after()
      at = end.at
    } else if (expect === 'key' || expect === 'key-or-end') {
      return at
    } else if (char === '{' || char === '[') {
      open.push(char)
      expect = char === '{' ? 'key-or-end' : 'value-or-end'
      at++
    } else {
      LITERAL.lastIndex = at
      if (!LITERAL.test(text)) return at
      at = LITERAL.lastIndex
      expect = after()
    }
  }
}

function closes(char: string, expect: Expect): boolean {
  if (expect === 'comma-or-end') return char === '}' || char === ']'
  return (expect === 'key-or-end' && char === '}') || (expect === 'value-or-end' && char === ']')
}

/** The offset behind the string that starts at `from`, or the offset of what it may not hold. */
function stringEnd(text: string, from: number): { readonly bad: boolean; readonly at: number } {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '"') return { bad: false, at: at + 1 }
    if (char < ' ') return { bad: true, at }
    if (char !== '\\') continue
    const escape = text[++at] ?? ''
    if (escape === '') break
    if (escape === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return { bad: true, at }
      at += 4
    } else if (!'"\\/bfnrt'.includes(escape)) return { bad: true, at }
  }
  return { bad: true, at: text.length }
}

/** `line 2, column 5`, both from 1. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
