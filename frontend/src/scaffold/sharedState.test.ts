import { describe, expect, it } from 'vitest'

import { runRow } from '../data/rows'
import { wireRun } from '../testing/fakeServer'
import { formatRuns, namedAhead, parseRuns } from './sharedState'

const rows = ['abcd1111', 'abcd2222', 'ffff0000', '12340000'].map((id, index) => runRow(wireRun(index + 1, { id })))

describe('the list of shown runs', () => {
  it.each([
    [[], 'none'],
    [[1, 2, 3, 4], 'all'],
    [[3], 'ffff0'],
    [[1, 4], 'abcd1.12340'],
  ])('writes %j as %s and reads it back', (numbers, text) => {
    expect(formatRuns(new Set(numbers), rows)).toBe(text)
    expect(parseRuns(text, rows)).toEqual(numbers)
  })

  it('is known before the runs where it is a word', () => {
    expect(['', '?at=3', '?runs=all', '?runs=none', '?runs=abcd1'].map(namedAhead)).toEqual([
      'standard',
      'standard',
      'all',
      null,
      null,
    ])
  })

  it('names nobody by a text that fits no run', () => {
    expect(parseRuns('9999.zz', rows)).toBeNull()
  })
})
