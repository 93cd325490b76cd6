import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'

import type { Damage } from '../../data/types'
import { createTexts } from '../../i18n'
import { useDamageText } from './damageText'

const table = readFileSync(resolve('../summaries/damages.py'), 'utf8')
const codes = [...table.matchAll(/^ {4}"([a-z0-9_]+)": \(/gm)].map((match) => match[1])
const NAMED = { claimed: 5000, zeros: 4096, most: 1024, length: 17, error: 'no varint', tag: "b'x'" }

function shown(language: string, damage: Partial<Damage>): string {
  const whole = {
    count: 1,
    file: 'events.1',
    offset: 13_702,
    reason: 'payload_crc',
    message: 'The server said this.',
    code: '',
    detail: NAMED,
    ...damage,
  }
  const page = mount(
    defineComponent(() => {
      const words = useDamageText()
      return () => h('p', words(whole))
    }),
    { global: { plugins: [createTexts(language)] } },
  )
  const text = page.text()
  page.unmount()
  return text
}

describe('the damages of a file', () => {
  it('are found in the sources of the reader', () => {
    expect(codes).toEqual(expect.arrayContaining(['length_crc', 'tag_not_utf8', 'unfinished']))
  })

  it.each(codes)('have words for %s in both languages', (code) => {
    const texts = ['en', 'zh-CN'].map((language) => shown(language, { code }))
    expect(texts.join()).not.toMatch(/The server said|[{}]/)
    expect(texts[0]).toContain('13,702')
    expect(texts[1]).toMatch(/\p{Script=Han}/u)
  })

  it.each(codes)('name everything that the sentence of the server names (%s)', (code) => {
    const [, sentence] = new RegExp(`^ {4}"${code}": \\(([^]*?)\\),$`, 'm').exec(table) ?? []
    const names = [...sentence.matchAll(/\{([a-z]+)\}/g)].map((match) => match[1]).filter((name) => name !== 'offset')
    for (const name of names)
      expect(shown('zh-CN', { code })).toContain(
        { claimed: '5,000', zeros: '4,096', most: '1,024', length: '17', error: 'no varint', tag: "b'x'" }[name],
      )
  })

  it('say where reading went on', () => {
    expect(shown('en', { code: 'length_crc', detail: { skipped: 2048, next: 15_750 } })).toBe(
      'The record at byte 13,702 has a length that fails its checksum. ' +
        '2,048 bytes were skipped; the next valid record is at byte 15,750.',
    )
    expect(shown('zh-CN', { code: 'length_crc', detail: { skipped: 2048 } })).toContain('没有完好的记录')
  })

  it('keep the words of the server where an older version noted them', () => {
    expect(shown('zh-CN', { code: '', detail: {} })).toBe('The server said this.')
  })
})
