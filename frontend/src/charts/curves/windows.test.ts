import { describe, expect, it } from 'vitest'

import { smoothingUnit } from '../../data/series/smoothing'
import { bellSigma, smoothByWindows, windowReach } from './windows'

type Kind = 'mean' | 'gaussian'

function smooth(kind: Kind, values: readonly number[], amount: number, steps = values.map((_, at) => at)): number[] {
  const into = new Float64Array(values.length)
  const unit = smoothingUnit(steps[steps.length - 1] - steps[0])
  smoothByWindows(kind, amount, Float64Array.from(steps), Float64Array.from(values), values.length, unit, into)
  return [...into]
}

/** Every pair of points, by the definition. */
function reference(kind: Kind, values: readonly number[], amount: number, steps: readonly number[]): number[] {
  const unit = smoothingUnit(steps[steps.length - 1] - steps[0])
  const place = [0]
  for (let at = 1; at < steps.length; at++) place.push(place[at - 1] + Math.min(1, (steps[at] - steps[at - 1]) / unit))
  const sigma = bellSigma(amount)
  const weight = (away: number): number =>
    kind === 'mean'
      ? Number(Math.abs(away) <= windowReach(amount))
      : Math.abs(away) <= 4 * sigma
        ? Math.exp(-0.5 * (away / sigma) ** 2)
        : 0
  return place.map((here) => {
    const weights = place.map((there) => weight(there - here))
    return weights.reduce((sum, one, at) => sum + one * values[at], 0) / weights.reduce((sum, one) => sum + one, 0)
  })
}

function noisy(count: number): number[] {
  let seed = 11
  return Array.from({ length: count }, (_, at) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.sin(at / 20) + seed / 2147483648
  })
}

describe.each<Kind>(['mean', 'gaussian'])('smoothing by %s', (kind) => {
  it.each([0.1, 0.6, 0.95])('weighs every point of each window, amount %f', (amount) => {
    for (const gap of [3, 7, 100]) {
      const values = noisy(400)
      const steps = values.map((_, at) => at * gap + (at % 3))
      const wanted = reference(kind, values, amount, steps)
      smooth(kind, values, amount, steps).forEach((value, row) =>
        expect(Math.abs(value - wanted[row])).toBeLessThan(kind === 'mean' ? 1e-9 : 2e-3),
      )
    }
  })

  it.each([0, 0.1, 1 / 3, 1e-12, 1e300, 1.7e308])('leaves the constant %f exactly as it is', (constant) => {
    expect(smooth(kind, new Array<number>(700).fill(constant), 0.97).every((value) => value === constant)).toBe(true)
  })

  it('forgets a huge value behind its window', () => {
    const values = [...new Array<number>(99).fill(0.1), 1e300, ...new Array<number>(99).fill(0.1)]
    expect(
      smooth(kind, values, 0.6)
        .slice(130)
        .every((value) => value === 0.1),
    ).toBe(true)
  })

  it('passes over what is not finite as if it were not there', () => {
    const found = smooth(kind, [1, NaN, 2, Infinity, -Infinity, 3], 0.6)
    expect(found.map(Number.isNaN)).toEqual([false, true, false, true, true, false])
    expect(found.filter(Number.isFinite)).toEqual(smooth(kind, [1, 2, 3], 0.6, [0, 2, 5]))
    expect(smooth(kind, [NaN], 0.6)).toEqual([NaN])
  })
})
