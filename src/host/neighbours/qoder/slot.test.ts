import { expect, it } from 'vitest'
import { claim, openSlot, patch, peekSlot, release, retire, SLOT_KEY, type Globals, type Implementation } from './slot.ts'

const idle: Implementation = { intercept: () => 'ours', handle: () => undefined }

function encryptor() {
  return class { prepareInfer() { return 'original' } }
}

/** Timers of the same length run in the order they were set, so this comes after a grace period of 1 ms. */
const afterGrace = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 1) })

it('stays when the next load claims it in time, and goes when none does', async () => {
  const globals: Globals = {}
  const slot = openSlot(globals)
  const [first, second] = [Symbol('first'), Symbol('second')]
  claim(slot, first, idle)
  release(slot, first, globals, 1)
  claim(slot, second, idle)
  await afterGrace()
  expect(peekSlot(globals)).toBe(slot)
  release(slot, first, globals, 1)
  await afterGrace()
  expect(peekSlot(globals)?.owner).toBe(second)
  release(slot, second, globals, 1)
  await afterGrace()
  expect(SLOT_KEY in globals).toBe(false)
})

it('passes calls through between two loads and gives the method back at the end', () => {
  const globals: Globals = {}
  const slot = openSlot(globals)
  const Encryptor = encryptor()
  const { prepareInfer } = Encryptor.prototype
  const owner = Symbol('owner')
  claim(slot, owner, idle)
  expect([patch(slot, 'a', Encryptor), patch(slot, 'a', Encryptor), slot.patches.size]).toEqual([true, true, 1])
  expect(new Encryptor().prepareInfer()).toBe('ours')
  release(slot, owner, globals)
  expect(new Encryptor().prepareInfer()).toBe('original')
  retire(slot, globals)
  expect(Encryptor.prototype.prepareInfer).toBe(prepareInfer)
})

it('leaves a wrapper of somebody else in place', () => {
  const globals: Globals = {}
  const slot = openSlot(globals)
  const Encryptor = encryptor()
  claim(slot, Symbol('owner'), idle)
  patch(slot, 'a', Encryptor)
  const ours = Encryptor.prototype.prepareInfer
  const wrapper = function (this: InstanceType<typeof Encryptor>) { return `wrapped ${ours.call(this)}` }
  Encryptor.prototype.prepareInfer = wrapper
  slot.implementation = null
  retire(slot, globals)
  expect(Encryptor.prototype.prepareInfer).toBe(wrapper)
  expect(new Encryptor().prepareInfer()).toBe('wrapped original')
})

it('patches nothing that cannot prepare requests', () => {
  const slot = openSlot({})
  for (const value of [null, undefined, 7, {}, class { go() { return 1 } }, () => 1]) expect(patch(slot, 'x', value)).toBe(false)
  expect(patch(slot, 'x', { QoderEncryptedInfer: encryptor() })).toBe(true)
})
