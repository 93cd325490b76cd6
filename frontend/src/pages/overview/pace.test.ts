import { describe, expect, it } from 'vitest'

import { barsOf } from './bars'
import { partAt, recordedTags } from './overviewOf'
import { speedOf, totalSteps, withMark, type Mark } from './pace'

const marksOf = (...pairs: [number, number][]): Mark[] =>
  pairs.reduce<Mark[]>((marks, [wall, step]) => withMark(marks, { wall, step }), [])

describe('the pace of a run', () => {
  it('is that of the last half minute', () => {
    expect(speedOf(marksOf([0, 0], [10, 100], [40, 1000], [60, 1200]))).toBe(10)
  })
  it('is not known from too little', () => {
    expect([marksOf(), marksOf([0, 5]), marksOf([0, 0], [1, 100]), marksOf([0, 7], [10, 7])].map(speedOf)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
  it('begins anew where the steps do', () => {
    expect(marksOf([0, 100], [10, 200], [20, 50])).toEqual([{ wall: 20, step: 50 }])
    expect(marksOf([0, 100], [0, 200])).toEqual([{ wall: 0, step: 200 }])
  })
  it('has a goal where a parameter names one', () => {
    expect(totalSteps({ lr: 0.1, max_steps: 500 })).toEqual({ name: 'max_steps', steps: 500 })
    expect(totalSteps({ 'train/total_train_steps': 9 })?.steps).toBe(9)
    expect(totalSteps({ steps_per_epoch: 9, warmup_steps: 100, steps: 'many', max_steps: 0 })).toBe(null)
  })
})

describe('small histograms', () => {
  const box = { width: 4, height: 10 }
  it('share buckets out among columns', () => {
    expect(barsOf([0, 2], [2, 2], [10, 20], 4, box)).toEqual({ path: 'M0 10V5H1V5H2V0H3V0H4V10Z', low: 0, high: 4 })
  })
  it('leave out empty ends, and show single numbers', () => {
    expect(barsOf([-9, 0, 1, 9], [9, 1, 1, 1], [0, 1, 1, 0], 2, { width: 2, height: 10 })).toMatchObject({
      low: 0,
      high: 2,
    })
    expect(barsOf([3], [0], [5], 2, box)).toMatchObject({ low: 3, high: 3, path: 'M0 10V0H2V10H4V10Z' })
    expect(barsOf([0], [1], [0], 2, box)).toBe(null)
  })
})

describe('recorded tags', () => {
  it('take the newest segment', () => {
    const one = (series: number, segment: number, last_step: number) => ({
      series,
      segment,
      count: 5,
      first_step: 0,
      last_step,
    })
    expect(
      recordedTags([
        { name: 'a', series: [one(1, 0, 90), one(2, 1, 50), one(3, 1, 60)] },
        { name: 'b', series: [] },
      ]),
    ).toMatchObject([{ name: 'a', series: 3, count: 5, lastStep: 60, total: 15 }])
  })

  it('are read at a step from the newest segment that had begun by then', () => {
    const one = (series: number, segment: number, first_step: number) => ({
      series,
      segment,
      count: 5,
      first_step,
      last_step: 99,
    })
    const [tag] = recordedTags([{ name: 'a', series: [one(1, 0, 10), one(2, 1, 50), one(3, 1, 70)] }])
    expect([5, 10, 49, 50, 69, 70].map((step) => partAt(tag, step)?.series)).toEqual([undefined, 1, 1, 2, 2, 3])
  })
})
