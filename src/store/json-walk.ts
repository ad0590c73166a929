/** Finds the objects that are members of lists in a JSON text that comes in pieces, without holding the text. */

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_MAP = 123
const CLOSE_MAP = 125

interface Level { readonly list: boolean; key: string | null }

/**
 * `found` gets the text of each such object and the keys it lies under, outermost first. A member longer than `longest`
 * characters is passed over. The text is taken for JSON without being checked; what comes of nonsense is nothing, or
 * objects that do not parse.
 */
export class JsonWalk {
  readonly #found: (text: string, keys: readonly string[]) => void
  readonly #longest: number
  readonly #levels: Level[] = []
  #inText = false
  #escaped = false
  /** The last whole string outside a member, with its quotes: a key if a colon follows. */
  #string = ''
  /** Nesting inside the member being collected, 0 = none is. */
  #depth = 0
  #member = ''

  constructor(found: (text: string, keys: readonly string[]) => void, longest = 1024 * 1024) {
    this.#found = found
    this.#longest = longest
  }

  /** True when everything opened has been closed. */
  get whole(): boolean { return this.#levels.length === 0 && this.#depth === 0 && !this.#inText }

  take(text: string): void {
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false
        else if (char === BACKSLASH) this.#escaped = true
        else if (char === QUOTE) {
          this.#inText = false
          if (this.#depth === 0) this.#string += text.slice(start, at + 1)
        }
      } else if (char === QUOTE) {
        this.#inText = true
        if (this.#depth === 0) { this.#string = ''; start = at }
      } else if (this.#depth > 0) {
        if (char === OPEN_MAP || char === OPEN_LIST) this.#depth++
        else if ((char === CLOSE_MAP || char === CLOSE_LIST) && --this.#depth === 0) this.#close(text.slice(start, at + 1))
      } else if (char === OPEN_MAP && this.#levels.at(-1)?.list) {
        this.#depth = 1
        this.#member = ''
        start = at
      } else this.#outside(char)
    }
    if (this.#depth > 0) { if (this.#member.length <= this.#longest) this.#member += text.slice(start) } else if (this.#inText) this.#string += text.slice(start)
  }

  #outside(char: number): void {
    if (char === OPEN_MAP || char === OPEN_LIST) this.#levels.push({ list: char === OPEN_LIST, key: null })
    else if (char === CLOSE_MAP || char === CLOSE_LIST) this.#levels.pop()
    else if (char === COLON) {
      const level = this.#levels.at(-1)
      if (level) level.key = keyOf(this.#string)
    }
  }

  #close(end: string): void {
    if (this.#member.length + end.length > this.#longest) return
    this.#found(this.#member + end, this.#levels.map(({ key }) => key).filter((key) => key !== null))
  }
}

function keyOf(string: string): string | null {
  try {
    const key: unknown = JSON.parse(string)
    return typeof key === 'string' ? key : null
  } catch { return null /* not JSON: the object below has no key then */ }
}
