/** Percentiles, resampling and distances, each compared with a direct computation. */
import { describe, expect, it } from 'vitest'

import { apartWord, compare, distance } from './large/compare'
import {
  bands,
  bucketAt,
  bucketOf,
  elementsBelow,
  histogramOf,
  maxAbs,
  moments,
  percentile,
  rowAt,
  tellsZeros,
  zeroBucket,
  type Histogram,
} from './drawing/histogram'
import { LIMITS, outside } from './drawing/formats'
import { commonEnding, sortGroups } from './layout'
import { pooled, type RunTag } from './tags'
import { wireHistogram } from './testing'

const make = (left: number[], width: number[], count: number[], step = 0): Histogram =>
  histogramOf(wireHistogram(step, { left, width, count }))

/** Numbers of a fixed sequence, 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

/** Buckets of random widths, some empty, some of width 0, with gaps between them. */
function random(seed: number, buckets = 20): Histogram {
  const next = numbers(seed)
  const left: number[] = []
  const width: number[] = []
  let here = -3 * next()
  for (let at = 0; at < buckets; at++) {
    here += next() < 0.3 ? 0.2 * next() : 0
    left.push(here)
    width.push(at % 7 === 3 ? 0 : next())
    here += width[at] || 0.01
  }
  return make(
    left,
    width,
    left.map(() => (next() < 0.2 ? 0 : Math.floor(100 * next()))),
  )
}

/** Ten thousand elements spread evenly inside their buckets. */
function elements({ left, width, count }: Histogram): number[] {
  const all: number[] = []
  left.forEach((low, at) => {
    for (let k = 0; k < 50 * count[at]; k++) all.push(low + (width[at] * (k + 0.5)) / (50 * count[at]))
  })
  return all.sort((a, b) => a - b)
}

describe('percentiles', () => {
  it('are interpolated inside a bucket', () => {
    const even = make([0], [100], [1000])
    expect(bands(even)).toEqual([5, 25, 50, 75, 95])
  })

  it('are the number of a bucket of width 0, and the lower end of a gap', () => {
    const gap = make([0, 2, 5], [0, 1, 1], [5, 0, 5])
    expect(percentile(gap, 0.3)).toBe(0)
    expect(percentile(gap, 0.5)).toBe(0)
    expect(percentile(gap, 0.75)).toBe(5.5)
  })

  it.each([1, 2, 3, 4, 5])('agree with sorted elements (%i)', (seed) => {
    const one = random(seed)
    const all = elements(one)
    for (const p of [0.05, 0.25, 0.5, 0.75, 0.95]) {
      const [low, high] = [
        all[Math.max(0, Math.floor(p * all.length) - 2)],
        all[Math.min(all.length - 1, Math.ceil(p * all.length) + 2)],
      ]
      expect(percentile(one, p)).toBeGreaterThanOrEqual(low - 1e-9)
      expect(percentile(one, p)).toBeLessThanOrEqual(high + 1e-9)
    }
  })

  it('are unknown without elements', () => {
    expect(bands(make([], [], []))).toEqual([NaN, NaN, NaN, NaN, NaN])
    expect(percentile(make([0, 1], [1, 1], [0, 0]), 0.5)).toBeNaN()
  })
})

describe('buckets', () => {
  const one = make([0, 1, 1, 3], [1, 0, 1, 1], [1, 7, 2, 10])
  it('are found by value', () => {
    expect([-1, 0, 0.5, 1, 1.5, 2, 2.5, 4, 4.1].map((value) => bucketAt(one, value))).toEqual([
      -1, 0, 0, 2, 2, 2, -1, 3, -1,
    ])
    expect(bucketOf(one, 3)).toEqual({ low: 3, high: 4, count: 10, share: 0.5 })
    expect(bucketOf(one, 4)).toBeNull()
  })

  it('count elements below a value and with it', () => {
    expect([0.5, 1, 1.5, 9].map((value) => elementsBelow(one, value))).toEqual([0.5, 1, 9, 20])
    expect(elementsBelow(one, 1, true)).toBe(8)
  })
})

describe('comparing', () => {
  it.each([1, 2, 3, 4])('finds the largest difference of the shares below (%i)', (seed) => {
    const [a, b] = [random(seed), random(seed + 50)]
    const { ks, at } = distance(a, b)!
    const share = (of: Histogram, value: number): number => elementsBelow(of, value) / of.finite
    let most = 0
    for (let value = -5; value < 20; value += 0.001) most = Math.max(most, Math.abs(share(a, value) - share(b, value)))
    expect(ks).toBeGreaterThanOrEqual(most - 1e-12)
    expect(ks).toBeLessThan(most + 0.02)
    expect(distance(b, a)).toMatchObject({ ks, at })
  })

  it('is 0 for the same and 1 for what has nothing in common', () => {
    const one = random(9)
    expect(distance(one, one)?.ks).toBe(0)
    expect(distance(make([0], [1], [3]), make([2], [1], [5]))?.ks).toBe(1)
    expect(distance(make([0], [0], [3]), make([1], [0], [5]))?.ks).toBe(1)
    expect(distance(one, make([], [], []))).toBeNull()
  })

  it('brings both onto one grid', () => {
    const found = compare(make([0], [1], [4]), make([1], [1], [8]), 2)!
    expect([[...found.before], [...found.after]]).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('has a word for every distance', () => {
    expect([0, 0.02, 0.05, 0.2, 0.31, 1].map(apartWord)).toEqual([
      'same',
      'same',
      'slight',
      'clear',
      'strong',
      'strong',
    ])
  })
})

it('takes the nearest earlier histogram for a step', () => {
  const all = [10, 20, 30].map((step) => make([0], [1], [1], step))
  expect([null, 5, 10, 29, 99].map((step) => rowAt(all, step))).toEqual([2, -1, 0, 1, 2])
})

describe('distances of scipy', () => {
  // scipy 1.17.1: ks_2samp(a, b).statistic and wasserstein_distance(a, b).
  it('are those of buckets of one number', () => {
    const a = make([1, 2, 3, 5, 8], [0, 0, 0, 0, 0], [1, 2, 1, 1, 1])
    const b = make([0, 2, 4, 9], [0, 0, 0, 0], [1, 1, 2, 1])
    expect(distance(a, b)?.ks).toBeCloseTo(0.26666666666666666, 12)
    expect(distance(a, b)?.wasserstein).toBeCloseTo(1.0333333333333332, 12)
  })

  it('count the area between lines that cross', () => {
    expect(distance(make([0], [1], [4]), make([0, 0, 1], [0, 1, 0], [1, 2, 1]))).toMatchObject({
      ks: 0.25,
      wasserstein: 0.125,
    })
    expect(distance(make([0], [2], [4]), make([1], [2], [4]))?.wasserstein).toBe(1)
  })
})

describe('one step', () => {
  it('has mean, spread and largest value', () => {
    const even = histogramOf(wireHistogram(0, { left: [0], width: [12], count: [5], sum: null, min: -3, max: 2 }))
    expect(moments(even)).toEqual({ mean: 6, std: expect.closeTo(Math.sqrt(12)) })
    expect(maxAbs(even)).toBe(3)
    expect(moments(make([], [], [])).std).toBeNaN()
  })

  it('knows its bucket at zero, zeros alone before others', () => {
    expect(zeroBucket(make([-1, 0, 0], [1, 0, 1], [1, 4, 9]))).toBe(1)
    expect(zeroBucket(make([-1, 0], [1, 1], [1, 9]))).toBe(1)
    expect(zeroBucket(make([1], [1], [9]))).toBe(-1)
    expect([tellsZeros(0.01, -1, 1), tellsZeros(0.5, -1, 1)]).toEqual([true, false])
  })

  it('tells what half precision cannot hold, as far as its buckets do', () => {
    const of = make([-1e-5, 1e-6, 1e-5, 1, 60_000, 70_000], [1e-5, 1e-6, 1, 1, 10_000, 1], [10, 20, 10, 30, 20, 10])
    expect(outside(of, LIMITS.fp16)).toEqual({
      under: { least: expect.closeTo(0.2), most: expect.closeTo(0.4) },
      over: { least: expect.closeTo(0.1), most: expect.closeTo(0.3) },
    })
    expect(outside(of, LIMITS.bf16).over).toEqual({ least: 0, most: 0 })
    expect(outside(make([0], [0], [9]), LIMITS.fp16).under).toEqual({ least: 0, most: 0 })
  })
})

describe('tags', () => {
  const tag = (name: string, run: number, series: number): RunTag => ({
    key: `${run}:${name}`,
    tag: name,
    run,
    together: [run],
    parts: [{ series, count: 3, until: null }],
    count: 3,
    firstStep: 10 * series,
    recorded: series,
  })

  it('are put together over runs', () => {
    expect(pooled([tag('w', 1, 5), tag('w', 2, 4)])).toMatchObject({
      key: 'all:w',
      together: [1, 2],
      count: 6,
      firstStep: 40,
      recorded: 4,
      parts: [{ series: 5 }, { series: 4 }],
    })
  })

  it('are sorted by what changed most, unknown ones last', () => {
    const groups = [tag('a', 1, 1), tag('b', 1, 2), tag('c', 1, 3)].map((one) => [one])
    const ks: Record<string, number | null> = { a: 0.1, b: null, c: 0.9 }
    const order = sortGroups(groups, 'change', (of) => ({ ks: ks[of.tag], atZero: 0, maxAbs: 0 }))
    expect(order.map(([one]) => one.tag)).toEqual(['c', 'a', 'b'])
  })

  it('lose the ending that all have', () => {
    expect(commonEnding(['a.0.weight.grad', 'b.weight.grad'])).toBe('.weight.grad'.length)
    expect(commonEnding(['a.weight', 'b.bias'])).toBe(0)
    expect(commonEnding(['only.weight'])).toBe(0)
  })
})
