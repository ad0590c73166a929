import { describe, expect, it } from 'vitest'
import { bundleText } from '../../../../tests/support/neighbours.ts'
import { HOOK_GLOBAL, insertHook, inspectHook } from './hook.ts'
import { isEncryptor } from './slot.ts'

const hook = (target: string) => `globalThis.${HOOK_GLOBAL} = ${target};`

/** Runs a bundle and answers what its hook handed out. */
async function handedOut(text: string): Promise<unknown> {
  const name = `__hookTest${Math.trunc(performance.now() * 1000)}`
  await import(`data:text/javascript,${encodeURIComponent(text.replaceAll(HOOK_GLOBAL, name))}`)
  const found: unknown = Reflect.get(globalThis, name)
  Reflect.deleteProperty(globalThis, name)
  return found
}

describe('a hook', () => {
  it('is fine when it hands out the class, in any usual spelling', () => {
    for (const line of [hook('QoderEncryptedInfer'), `globalThis["${HOOK_GLOBAL}"] = QoderEncryptedInfer`, `globalThis.${HOOK_GLOBAL} ??= QoderEncryptedInfer;`, `try { ${hook('QoderEncryptedInfer')} } catch {}`]) expect(inspectHook(bundleText({ hook: line }))).toEqual({ state: 'ok' })
    expect(inspectHook(bundleText({ lazy: true, hook: hook('_QoderEncryptedInfer') }))).toEqual({ state: 'ok' })
  })

  it('is stale when it hands out something else', () => {
    expect(inspectHook(bundleText({ hook: hook('Other') }))).toEqual({ state: 'stale' })
    expect(inspectHook(`class Other { static { ${hook('this')} } }\n${bundleText()}`)).toEqual({ state: 'stale' })
  })

  it('counts only outside comments, and reading it is no hook', () => {
    expect(inspectHook(bundleText({ hook: `// ${hook('QoderEncryptedInfer')}` })).state).toBe('missing')
    expect(inspectHook(bundleText({ hook: `if (globalThis.${HOOK_GLOBAL} === undefined) go();` })).state).toBe('missing')
  })

  it('may hand out a renamed class if that one can prepare requests', () => {
    expect(inspectHook(`class e{prepareInfer(a){return a}}${hook('e')}`)).toEqual({ state: 'ok' })
    expect(inspectHook(`class e{other(a){return a}}${hook('e')}`)).toEqual({ state: 'stale' })
  })
})

describe('a missing hook', () => {
  it('has one place, and works there', async () => {
    for (const text of [bundleText(), bundleText({ lazy: true }), bundleText().replaceAll('\n', '\r\n'), bundleText().replace('QoderEncryptedInfer {', 'QoderEncryptedInfer{')]) {
      const verdict = inspectHook(text)
      if (verdict.state !== 'missing' || verdict.insertAt === null) throw new Error('no place found')
      const mended = insertHook(text, verdict.insertAt)
      expect(inspectHook(mended)).toEqual({ state: 'ok' })
      expect(isEncryptor(await handedOut(mended))).toBe(true)
    }
  })

  it('has no place when the class is there twice, not at all, or cannot prepare', () => {
    expect(inspectHook(bundleText({ twice: true }))).toMatchObject({ state: 'missing', insertAt: null, why: expect.stringContaining('2 places') as unknown })
    expect(inspectHook('class Other { prepareInfer(a) { return a } }')).toMatchObject({ state: 'missing', insertAt: null })
    expect(inspectHook('class QoderEncryptedInfer { other() {} }\nclass B { prepareInfer(a) { return a } }')).toMatchObject({ state: 'missing', insertAt: null })
    expect(inspectHook('')).toMatchObject({ state: 'missing', insertAt: null })
  })

  it('is found fast in a bundle of megabytes', () => {
    const text = `${'var x = { a: 1, b: "class" }; function f(y) { return y === 1; }\n'.repeat(40_000)}var blob = "${'QUJD'.repeat(250_000)}";\n${bundleText()}`
    const began = performance.now()
    expect(inspectHook(text)).toMatchObject({ state: 'missing', insertAt: expect.any(Number) as unknown })
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
