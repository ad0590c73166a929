/**
 * The one place that makes an upstream text fit to be stored or shown: secrets out, length bounded.
 * A text that merely looks like a secret is lost too; a secret that gets through is worse.
 */

/** Stands where a secret was. */
export const REDACTED = '[redacted]'

/** Longest text that leaves {@link redact}, in UTF-16 units. */
export const LONGEST = 2000

/** What is looked at before the cut, so that a secret across the cut is still seen whole. */
const READ = 16_384

const SECRET_NAME = "(?:x-)?(?:api[_-]?key|apikey|api[_-]?token|access[_-]?key(?:[_-]?id)?|access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|session[_-]?token|secret(?:[_-]?(?:key|id|access[_-]?key))?|client[_-]?secret|password|passwd|pwd|private[_-]?key|signature|sig|credential|authorization|cookie|x-amz-security-token|key|token)"

/** Each pattern keeps its first group, if it has one, and loses the rest. Order: the wider context first. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  // user:password@ in an address
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'<>]{0,200}:[^\s/@"'<>]{1,200}@/gi,
  // ?key=…, &access_token=…, also percent-encoded separators
  new RegExp(`([?&;](?:amp;)?${SECRET_NAME}=)[^\\s&#"'<>]{1,2000}`, 'gi'),
  /\b((?:bearer|basic|token|negotiate|digest)\s+)(?=[^\s"']{0,400}[\d+/=_-])[A-Za-z0-9._~+/=-]{8,4000}/gi,
  // "api_key": "…", x-api-key: …, password=…
  new RegExp(`(["']?\\b(?:${SECRET_NAME.replace('|key|token', '')})\\b["']?\\s{0,3}[:=]\\s{0,3}["']?)(?!\\[redacted\\])[^\\s"',;&}\\]]{6,4000}`, 'gi'),
  // vendors' key shapes: sk-…, sk_live_…, tp-…, gsk_…, xai-…, AIza…, ghp_…, hf_…, nvapi-…, AKIA…
  /\bsk[-_][A-Za-z0-9*.…_-]{6,}/g,
  /\b(?:pk|rk|ak|tp|ek|sess)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{10,}/g,
  /\b(?:gsk|xai|csk|fw|pplx|r8|hf|ghp|gho|ghu|ghs|ghr|glpat|nvapi|github_pat|tgp|npm|dop|whsec|ya29|xox[abprs])[-_.][A-Za-z0-9_.-]{8,}/g,
  /\bAIza[0-9A-Za-z_-]{20,}|\b(?:AKIA|ASIA|LTAI|AKID)[0-9A-Za-z]{12,}/g,
  /\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  /\b[0-9a-f]{32}\.[A-Za-z0-9]{12,}\b/g,
  /data:[a-z]+\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]+/gi,
  // long runs of hex, and long base64 that mixes letters and digits (words and paths do not)
  /\b[0-9a-fA-F]{32,}\b/g,
  /(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]{0,200}\d)(?=[\d+/_-]{0,200}[A-Za-z])[A-Za-z0-9+/_-]{40,}={0,2}/g,
]

/**
 * An upstream text without keys, tokens and passwords, at most {@link LONGEST} units long.
 * @param text - any text of an upstream, an adapter or a library
 * @returns the text with {@link REDACTED} in place of each secret; a cut text ends with "…"
 */
export function redact(text: string): string {
  let clean = text.slice(0, READ)
  for (const secret of SECRETS) {
    clean = clean.replace(secret, (_whole, kept: unknown) => (typeof kept === 'string' ? `${kept}${REDACTED}` : REDACTED))
  }
  if (clean.length <= LONGEST && text.length <= READ) return clean
  return `${clean.slice(0, LONGEST - 1)}…`
}
