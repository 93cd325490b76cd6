import { describe, expect, it } from 'vitest'

import { laidCharts, patternTest } from './layoutCharts'

describe('a pattern of a layout', () => {
  it.each([
    ['loss/.*', 'loss/train', true],
    ['loss', 'loss/train', true],
    ['train', 'loss/train', false],
    ['a(b', 'a(b', true],
    ['(a+)+$', 'aaaa', false],
    ['(a+)+$', '(a+)+$', true],
    ['(a|aa)+$', 'aaaa', false],
  ])('%s of %s: %s', (pattern, tag, found) => expect(patternTest(pattern)(tag)).toBe(found))
})

describe('the charts of layouts', () => {
  const names = ['loss/train', 'loss/test', 'm/v', 'm/lo', 'm/hi']
  const chart = (changes: object) => ({ run: 1, category: 'A', title: 'x', patterns: [], tags: [], ...changes })

  it('have the tags that there are, by pattern and by name', () => {
    const band = chart({ title: 'm', tags: ['m/v', 'm/lo', 'gone'] })
    expect(laidCharts([chart({ patterns: ['loss/.*'] }), band], names)).toEqual([
      { category: 'A', title: 'x', tags: ['loss/train', 'loss/test'] },
      { category: 'A', title: 'm', tags: ['m/v', 'm/lo'] },
    ])
    expect(laidCharts([chart({ tags: ['gone'] })], names)).toEqual([])
  })

  it('are one for several runs, and have titles of their own', () => {
    const charts = [1, 2].map((run) => chart({ run, tags: ['m/v'] }))
    expect(laidCharts([...charts, chart({ category: 'B', tags: ['m/lo'] })], names).map(({ title }) => title)).toEqual([
      'x',
      'x 2',
    ])
  })

  it("give way to the user's charts of the same title", () => {
    expect(laidCharts([chart({ tags: ['m/v'] })], names, [{ title: 'x', tags: ['m/v'] }])).toEqual([])
  })
})
