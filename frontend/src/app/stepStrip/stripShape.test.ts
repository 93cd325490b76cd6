import { describe, expect, it } from 'vitest'

import { areaPath, coverage } from './stripShape'

describe('the reach of very many runs', () => {
  it('is the share of runs at each place', () => {
    const runs = Array.from({ length: 1000 }, (_, at) => ({ first: 0, last: at }))
    const shares = [...coverage(runs, 0, 999, 10)]
    expect(shares).toHaveLength(10)
    shares.forEach((share, part) => {
      const begin = (part * 999) / 10
      expect(share).toBeCloseTo(runs.filter(({ last }) => last >= begin).length / 1000, 2)
    })
  })

  it('counts a run of one step, and none before or after', () => {
    expect([...coverage([{ first: 50, last: 50 }], 0, 100, 4)]).toEqual([0, 0, 1, 0])
    expect([...coverage([], 0, 100, 2)]).toEqual([0, 0])
  })

  it('shows also what one of many reaches', () => {
    expect(areaPath(Float64Array.of(1, 0.001, 0), 10, 30, 25, 20)).toBe('M10 25V5H20V24H30V25H40V25Z')
  })
})
