import { describe, expect, it } from 'vitest'

import { roundDistance, stripTicks } from './stripTicks'

it.each([
  [0, 1],
  [1, 1],
  [1.2, 2],
  [3, 5],
  [21, 25],
  [260, 500],
  [2300, 2500],
])('rounds %d up to %d', (least, distance) => {
  expect(roundDistance(least)).toBe(distance)
})

describe('stripTicks', () => {
  it('writes round steps with room between the numbers', () => {
    const major = stripTicks(0, 12_500, 880).filter((tick) => tick.major)
    expect(major.map((tick) => tick.step)).toEqual([0, 2000, 4000, 6000, 8000, 10_000, 12_000])
  })

  it('never has more ticks than the strip can draw', () => {
    for (const last of [1, 7, 99, 12_345, 1e9]) expect(stripTicks(0, last, 900).length).toBeLessThan(130)
  })

  it('knows one single step', () => {
    expect(stripTicks(5, 5, 900)).toEqual([{ step: 5, major: true }])
  })
})
