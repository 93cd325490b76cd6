import { describe, expect, it } from 'vitest'

import { DebiasedEma, smoothingUnit } from './smoothing'

/** The textbook average: a running sum divided by the same sum of ones. */
function reference(values: readonly number[], weight: number): number[] {
  let sum = 0
  let count = 0
  return values.map((value) => {
    if (!Number.isFinite(value)) return NaN
    sum = sum * weight + (1 - weight) * value
    count++
    return sum / (1 - weight ** count)
  })
}

function smooth(
  values: readonly number[],
  weight: number,
  step = values.map((_, at) => at),
  unit = 1,
  sample: Uint8Array | null = null,
): number[] {
  const into = new Float64Array(values.length)
  new DebiasedEma(weight, unit).extend(
    Float64Array.from(step),
    Float64Array.from(values),
    0,
    values.length,
    into,
    sample,
  )
  return [...into]
}

function noisy(count: number): number[] {
  let seed = 7
  return Array.from({ length: count }, (_, at) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.exp(-at / 50) + seed / 2147483648
  })
}

describe('smoothing', () => {
  it.each([0.1, 0.6, 0.9, 0.99])('is the debiased average, weight %f', (weight) => {
    const values = noisy(300)
    const wanted = reference(values, weight)
    smooth(values, weight).forEach((value, row) => expect(value).toBeCloseTo(wanted[row], 9))
  })

  it.each([0.1, 1 / 3, 1e-12, 1e300])('leaves the constant %f exactly as it is', (constant) => {
    expect(smooth(new Array<number>(500).fill(constant), 0.97).every((value) => value === constant)).toBe(true)
  })

  it('is not poisoned by what is no number', () => {
    const values = noisy(50)
    values[10] = NaN
    values[20] = Infinity
    values[0] = -Infinity
    const found = smooth(values, 0.6)
    const wanted = reference(values, 0.6)
    for (const row of [0, 10, 20]) expect(found[row]).toBeNaN()
    for (const row of [1, 11, 21, 49]) expect(found[row]).toBeCloseTo(wanted[row], 9)
  })

  it('goes on where it ended', () => {
    const values = Float64Array.from(noisy(100))
    const step = Float64Array.from(values, (_, at) => at)
    const whole = smooth([...values], 0.8)
    const parts = new Float64Array(100)
    const ema = new DebiasedEma(0.8)
    for (const [from, to] of [
      [0, 1],
      [1, 40],
      [40, 100],
    ])
      ema.extend(step, values, from, to, parts)
    expect([...parts]).toEqual(whole)
  })

  it('goes on from a long history', () => {
    const values = noisy(400)
    const wanted = reference(values, 0.8)
    const rest = Float64Array.from(values.slice(300))
    const ema = new DebiasedEma(0.8)
    ema.seed(wanted[299], 299)
    const into = new Float64Array(100)
    ema.extend(
      rest.map((_, at) => 300 + at),
      rest,
      0,
      100,
      into,
    )
    expect(into[0]).toBeCloseTo(wanted[300], 9)
    expect(into[99]).toBeCloseTo(wanted[399], 9)
  })

  it('smooths points that lie close by their distance', () => {
    // Ten close points have the same weight as that one.
    const sparse = [...new Array<number>(50).fill(0), ...new Array<number>(5).fill(1)]
    const dense = sparse.flatMap((value) => new Array<number>(10).fill(value))
    const step = dense.map((_, at) => at / 10)
    const found = smooth(dense, 0.6, step)
    expect(found[dense.length - 1]).toBeCloseTo(smooth(sparse, 0.6)[sparse.length - 1], 1)
  })

  it('counts only a fair sample of an envelope', () => {
    const values = [1, 900, -900, 1, 1, 500, 1]
    const sample = Uint8Array.from([1, 0, 0, 1, 1, 0, 1])
    expect(smooth(values, 0.6, undefined, 1, sample)).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  it('counts rows behind the end of a sample', () => {
    const found = smooth([1, 1, 5], 0.5, undefined, 1, Uint8Array.from([1, 0]))
    expect(found[2]).toBeGreaterThan(1)
  })

  it('draws what does not count as it is until something counts', () => {
    expect(smooth([7, 9, 1], 0.5, undefined, 1, Uint8Array.from([0, 0, 1]))).toEqual([7, 9, 1])
  })

  it('fills only the rows that were asked for', () => {
    const into = new Float64Array(3).fill(-1)
    new DebiasedEma(0.5).extend(Float64Array.of(0, 1, 2), Float64Array.of(4, 4, 4), 0, 2, into)
    expect([...into]).toEqual([4, 4, -1])
  })

  it('gives a point at the step of the last one no weight of its own', () => {
    expect(smooth([2, 8, 8], 0.5, [3, 3, 3])).toEqual([2, 2, 2])
  })

  it('forgets by its weight for each point', () => {
    const ema = new DebiasedEma(0.5)
    expect(ema.rest).toBe(1)
    ema.extend(Float64Array.of(0, 1, 2), Float64Array.of(1, 1, 1), 0, 3, new Float64Array(3))
    expect(ema.rest).toBeCloseTo(0.125, 12)
  })

  it('takes each point in full after a restart', () => {
    expect(smooth([1, 2, 3], 0.5, [10, 20, 5], 100)[2]).toBeGreaterThan(smooth([1, 2, 3], 0.5, [10, 20, 21], 100)[2])
  })
})

it('the unit is one step for short runs and grows in stages', () => {
  expect(smoothingUnit(0)).toBe(1)
  expect(smoothingUnit(250)).toBe(1)
  const units = Array.from({ length: 1000 }, (_, at) => smoothingUnit(250_000 + 100 * at))
  expect(new Set(units).size).toBeLessThan(5)
  expect(smoothingUnit(250_000)).toBeGreaterThanOrEqual(1000)
})
