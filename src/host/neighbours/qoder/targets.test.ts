import { expect, it } from 'vitest'
import { exportedEncryptor, liveEncryptor, moduleUrls } from './targets.ts'
import { HOOK_GLOBAL } from './hook.ts'

it('knows both addresses of a file on a Windows drive', () => {
  const both = ['file:///D:/home%20x/qoder-wasm.js', 'file:///d:/home%20x/qoder-wasm.js']
  expect(moduleUrls('D:\\home x\\qoder-wasm.js')).toEqual(both)
  expect(moduleUrls('d:\\home x\\qoder-wasm.js')).toEqual(both)
  expect(moduleUrls('d:/home x/qoder-wasm.js')).toEqual(both)
})

it('knows the one address of a file elsewhere', () => {
  expect(moduleUrls('/home/x y/qoder-wasm.js')).toEqual(['file:///home/x%20y/qoder-wasm.js'])
})

it('finds a class under the usual exports only', () => {
  class A { go() { return 1 } }
  expect(exportedEncryptor({ QoderEncryptedInfer: A })).toBe(A)
  expect(exportedEncryptor({ default: { QoderEncryptedInfer: A } })).toBe(A)
  for (const other of [null, 7, {}, { default: 3 }]) expect(exportedEncryptor(other)).toBeUndefined()
})

it('reads the hook without trusting it', () => {
  expect(liveEncryptor({})).toBeUndefined()
  expect(liveEncryptor({ [HOOK_GLOBAL]: null })).toBeUndefined()
  expect(liveEncryptor(Object.defineProperty({}, HOOK_GLOBAL, { get() { throw new Error('mine') } }))).toBeUndefined()
})
