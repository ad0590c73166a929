/**
 * Brings an upstream text into the one form that every wording rule is written for: bounded, unescaped, without
 * markup, lower case, simplified characters, plain punctuation, single spaces. Linear in the length of the text.
 */

/** Characters of a text that are looked at: causes stand at the start, reset times and vendor codes at the end. */
const HEAD = 24 * 1024
const TAIL = 8 * 1024

/** Traditional characters that occur in the wording rules, each followed by its simplified form. */
const SIMPLER =
  '額额餘余帳账賬账號号戶户併并並并發发過过長长頻频連连線线權权無无鑰钥將将於于儲储費费內内圖图審审違违規规錯错誤误時时間间後后試试訪访問问級级載载' +
  '飽饱達达數数請请輸输參参類类單单詞词語语說说點点積积訂订閱阅滿满資资紅红續续擁拥擠挤隊队緊紧張张儘尽盡尽貨货贈赠購购買买證证驗验鑒鉴鑑鉴認认' +
  '識识別别憑凭據据遠远遲迟響响應应務务異异斷断開开關关閉闭區区國国離离禁禁凍冻結结鎖锁銷销廢废棄弃換换擇择選选調调態态總总萬万億亿個个們们這这' +
  '裡里裏里當当還还處处強强簡简檢检測测觸触視视頻频聽听聲声檔档視视覺觉術术會会話话讓让從从對对爾尔獲获現现產产啟启網网絡络範范圍围監监禦御'
const SIMPLE_OF = new Map<string, string>(
  Array.from({ length: SIMPLER.length / 2 }, (_, i) => [SIMPLER.charAt(2 * i), SIMPLER.charAt(2 * i + 1)]),
)
const TRADITIONAL = new RegExp(`[${[...SIMPLE_OF.keys()].join('')}]`, 'g')

/** Words that differ between the two Chinese written standards, not only in their characters. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/伺服器/g, '服务器'],
  [/逾时/g, '超时'],
  [/连线/g, '连接'],
  [/金钥/g, '密钥'],
  [/存取/g, '访问'],
  [/重设/g, '重置'],
  [/储值/g, '充值'],
  [/影像|图像|图档/g, '图片'],
  [/帐/g, '账'],
]

/** Contractions, so that rules know one form only. */
const CONTRACTED: readonly (readonly [RegExp, string])[] = [
  [/\bcan't\b/g, 'cannot'],
  [/\bwon't\b/g, 'will not'],
  [/n't\b/g, ' not'],
]

const PUNCTUATION: readonly (readonly [RegExp, string])[] = [
  [/[‘’ʼ`´]/g, "'"],
  [/[“”]/g, '"'],
  [/[：]/g, ':'],
  [/[，、]/g, ','],
  [/[。]/g, '. '],
  [/[；]/g, ';'],
  [/[！]/g, '!'],
  [/[（【]/g, '('],
  [/[）】]/g, ')'],
  [/[‐‑‒–—]/g, '-'],
]

/** The text cut to the part that is looked at, keeping its head and its tail. */
export function bounded(text: string): string {
  return text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`
}

/**
 * Undoes JSON string escapes, as often as JSON was packed into JSON (up to four times), so that a nested body reads
 * like a plain one. Works on broken JSON too.
 */
export function unescaped(text: string): string {
  let plain = text
  for (let depth = 0; depth < 4 && plain.includes('\\'); depth++) {
    plain = plain.replace(/\\(?:u([0-9a-fA-F]{4})|(["'\\/nrtbf]))/g, (_, hex: string | undefined, sign: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      return sign !== undefined && 'nrtbf'.includes(sign) ? ' ' : (sign ?? '')
    })
  }
  return plain
}

/** Drops `<script>` and `<style>` with what they hold, and the tags of the rest. `<400>` and `a < b` stay. */
function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text
  return withoutElement(withoutElement(text, 'script'), 'style').replace(/<\/?[a-zA-Z!][^<>]{0,400}>/g, ' ')
}

function withoutElement(text: string, tag: string): string {
  const lower = text.toLowerCase()
  let kept = ''
  let from = 0
  for (;;) {
    const open = lower.indexOf(`<${tag}`, from)
    const close = open < 0 ? -1 : lower.indexOf(`</${tag}`, open)
    if (close < 0) return kept + text.slice(from)
    kept += text.slice(from, open)
    from = close
  }
}

/** The comparable form of an upstream text; see the head of this file. */
export function fold(message: string): string {
  let text = withoutMarkup(unescaped(bounded(message))).toLowerCase()
  for (const [mark, plain] of PUNCTUATION) text = text.replace(mark, plain)
  text = text.replace(TRADITIONAL, (sign) => SIMPLE_OF.get(sign) ?? sign)
  for (const [word, plain] of [...CONTRACTED, ...WORDS]) text = text.replace(word, plain)
  return text.replace(/\s+/g, ' ').trim()
}
