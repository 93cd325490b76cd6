import { describe, expect, it } from 'vitest'

import { differences, folded } from './differences'
import { isTable, plainText, rowsOf } from '../../recorded/textTables'

describe('differences', () => {
  it('gives both texts back', async () => {
    for (const [before, after] of [
      ['a b c', 'a x c'],
      ['', 'new'],
      ['old', ''],
      ['same', 'same'],
      ['一 二\n三', '一 四\n三'],
      ['🙂 a', '🙃 a'],
    ]) {
      const parts = await differences(before, after)
      const join = (kind: string): string =>
        parts
          .filter((part) => part.kind !== kind)
          .map(({ text }) => text)
          .join('')
      expect([join('added'), join('removed')]).toEqual([before, after])
    }
  })

  it('compares long texts by lines', async () => {
    const lines = Array.from({ length: 8000 }, (_, at) => `line ${at}`)
    const before = lines.join('\n')
    const after = before.replace('line 4000', 'line four')
    const parts = await differences(before, after)
    expect(parts.filter(({ kind }) => kind !== 'same').map(({ text }) => text)).toEqual(['line 4000\n', 'line four\n'])
  })

  it('folds long stretches only', () => {
    expect(folded('x'.repeat(400), 160)).toBe(null)
    expect(folded('a'.repeat(200) + 'b'.repeat(300) + 'c'.repeat(200), 160)).toEqual({
      head: 'a'.repeat(160),
      left: 380,
      tail: 'c'.repeat(160),
    })
  })
})

describe('tables', () => {
  it('lays cells out by the last axis', () => {
    expect(rowsOf({ shape: [2, 2], cells: ['a', 'b', 'c', 'd'] })).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(rowsOf({ shape: [3], cells: ['a', 'b', 'c'] })).toEqual([['a'], ['b'], ['c']])
    expect(rowsOf({ shape: [2, 1, 2], cells: ['a', 'b', 'c', 'd'] })).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(rowsOf({ shape: [0, 3], cells: [] })).toEqual([])
  })

  it('tells a text from a table', () => {
    expect([[], [1], [1, 1]].map((shape) => isTable({ shape, cells: ['x'] }))).toEqual([false, false, false])
    expect([[2], [1, 2], [0]].map((shape) => isTable({ shape, cells: [] }))).toEqual([true, true, true])
    expect(plainText({ shape: [2, 2], cells: ['a', 'b', 'c', 'd'] })).toBe('a\tb\nc\td')
    expect(plainText({ shape: [], cells: ['x'] })).toBe('x')
  })
})
