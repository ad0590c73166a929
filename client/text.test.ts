import { afterEach, expect, it } from 'vitest'
import en from '../locale/en.json'
import zh from '../locale/zh.json'
import { classText, language, languageOf, t, title, word } from './text.ts'

afterEach(() => { language.value = 'en' })

const leaves = (value: unknown, path = ''): string[] => (typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`)) : [path])
const holes = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

it('has every text in both languages, with the same holes', () => {
  expect(leaves(zh)).toEqual(leaves(en))
  for (const [key, text] of Object.entries(en.ui)) expect(holes(zh.ui[key as keyof typeof zh.ui]), key).toEqual(holes(text))
})

it('leaves no text empty', () => {
  for (const file of [en, zh]) for (const text of [file.meta.title, file.meta.description, ...Object.values(file.ui)]) expect(text.trim()).not.toBe('')
})

it('follows the language and fills the holes', () => {
  expect(t('first.make', { n: 3 })).toBe('Make a group from my providers (3 models)')
  expect(title()).toBe('Model failover')
  language.value = 'zh'
  expect(t('tab.groups')).toBe('路由分组')
  expect(title()).toBe('模型故障转移')
  expect(classText('quota')).toBe('额度用尽')
})

it('takes any Chinese for Chinese and everything else for English', () => {
  expect(['zh', 'zh-CN', 'ZH-hant', 'en', 'fr', ''].map(languageOf)).toEqual(['zh', 'zh', 'zh', 'en', 'en', 'en'])
})

it('shows a code it has no word for as it is', () => {
  expect(word('why.brand-new', 'brand-new')).toBe('brand-new')
  expect(classText('brand_new')).toBe('brand_new')
})
