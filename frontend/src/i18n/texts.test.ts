import { describe, expect, it } from 'vitest'

import { createTexts, messagesOf, type Messages } from '.'

function flat(tree: Messages, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(prefix + key, value)
    else for (const [name, text] of flat(value, `${prefix}${key}.`)) found.set(name, text)
  }
  return found
}
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort()

const files = import.meta.glob<Messages>('../**/texts/*.json', { eager: true, import: 'default' })
const english = flat(messagesOf('en'))
const chinese = flat(messagesOf('zh-CN'))

/** Words that read as translated. The field has its own: resume, record, remove, export, select, importance. */
const FORBIDDEN = new RegExp(
  String.raw`\b(${[
    '(some|no)body( else)?',
    'everybody',
    'whoever',
    'anew',
    'by itself',
    'told',
    '(goes|went|carr(y|ies)) (it )?on',
    'takes? (it |this )?(along|away)',
    'take as',
    'what mattered',
    '(was|is|were|been) asked',
    'asks? for',
    'asked',
    'look into',
    'ticked',
    'standard (keys|columns|choice|settings)',
    'chosen box',
    'heard of',
    'nothing is (watched|saved)',
    'fetched',
  ].join('|')})\b`,
  'i',
)

describe('texts', () => {
  it('exist in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort())
  })

  it('name the same values in both languages', () => {
    for (const [key, text] of english) {
      const inChinese = placeholders(chinese.get(key) ?? '')
      expect(placeholders(text), key).toEqual(expect.arrayContaining(inChinese))
    }
  })

  it('use the plain word in English', () => {
    const found = [...english].filter(([, text]) => FORBIDDEN.test(text.replaceAll(/\{\w+\}/g, '')))
    expect(found).toEqual([])
  })

  it('can all be read by the message compiler', { timeout: 30_000 }, () => {
    for (const language of ['en', 'zh-CN']) {
      const { t } = createTexts(language).global
      const values = Object.fromEntries(['n', 'all', 'shown', 'step', 'span'].map((name) => [name, '1']))
      for (const key of english.keys()) expect(t(key, values), key).not.toBe(key)
    }
  })

  it.each(Object.entries(files))('of %s live under the name of their folder', (path, texts) => {
    const folder = path.split('/').at(-3)
    expect(Object.keys(texts)).toEqual([folder])
  })
})
