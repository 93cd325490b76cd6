import { describe, expect, it } from 'vitest'

import { entryAt, makeTimeline, rowAt } from './timeline'

describe('timeline', () => {
  const parts = [
    { series: 7, segment: 1, steps: [30, 40] },
    { series: 5, segment: 0, steps: [0, 10, 20, 30, 35] },
  ]

  it('lets a newer segment take the place of what it supersedes', () => {
    expect(makeTimeline(parts).map(({ series, index, step }) => [series, index, step])).toEqual([
      [5, 0, 0],
      [5, 1, 10],
      [5, 2, 20],
      [7, 0, 30],
      [7, 1, 40],
    ])
  })

  it('puts files together that go on from each other, and minds no series without steps', () => {
    const all = makeTimeline([
      { series: 2, segment: 0, steps: [5] },
      { series: 3, segment: 2, steps: [] },
      { series: 1, segment: 0, steps: [1, 4] },
    ])
    expect(all.map((entry) => entry.step)).toEqual([1, 4, 5])
  })

  it.each([
    [-1, null],
    [0, 0],
    [9, 0],
    [10, 10],
    [34, 30],
    [1000, 40],
    [null, 40],
  ])('shows at %s what was recorded at %s', (asked, step) => {
    expect(entryAt(makeTimeline(parts), asked)?.step ?? null).toBe(step)
  })

  it('finds rows as a walk does', () => {
    const steps = [3, 3, 5, 9]
    for (let at = 0; at < 12; at++) expect(rowAt(steps, at)).toBe(steps.filter((step) => step <= at).length - 1)
  })
})
