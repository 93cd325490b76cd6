/** Compares two histograms: the difference of their shares, and their distance. Pure. */
import { elementsBelow, type Histogram } from '../drawing/histogram'
import type { Interval } from '../drawing/scale'
import { cellsOf } from '../drawing/scene'

export interface Distance {
  /** The largest difference of the shares below a value, 0 (the same) to 1 (nothing in common). */
  ks: number
  /** The value at which the shares below differ most. */
  at: number
  /** The mean distance of moving an element from one to the other, in units of its value (Wasserstein's distance). */
  wasserstein: number
}

export interface Comparison extends Distance {
  interval: Interval
  /** Shares in the cells of the grid. */
  before: Float64Array
  after: Float64Array
}

/** The interval of all buckets with elements; widened if it is a single number, null without elements. */
function commonInterval(histograms: readonly Histogram[]): Interval | null {
  let low = Infinity
  let high = -Infinity
  for (const { left, width, count } of histograms) {
    const first = count.findIndex((one) => one > 0)
    if (first < 0) continue
    const last = count.findLastIndex((one) => one > 0)
    low = Math.min(low, left[first])
    high = Math.max(high, left[last] + width[last])
  }
  if (low > high) return null
  const room = low === high ? Math.abs(low) / 2 || 0.5 : 0
  return { low: low - room, high: high + room }
}

/**
 * The Kolmogorov-Smirnov distance of two histograms. Between edges of buckets both shares are straight lines, so
 * that the largest difference is at an edge, from one of its sides.
 * @returns null where one of them has no finite elements
 */
export function distance(a: Histogram, b: Histogram): Distance | null {
  if (!a.finite || !b.finite) return null
  const found = { ks: 0, at: a.left[0], wasserstein: area(a, b) }
  for (const { left, width } of [a, b]) {
    for (let bucket = 0; bucket < left.length; bucket++) {
      for (const edge of [left[bucket], left[bucket] + width[bucket]]) {
        for (const including of [false, true]) {
          const apart = Math.abs(
            elementsBelow(a, edge, including) / a.finite - elementsBelow(b, edge, including) / b.finite,
          )
          if (apart > found.ks) Object.assign(found, { ks: apart, at: edge })
        }
      }
    }
  }
  return found
}

/** The area between the shares below: trapezoids, and pairs of triangles at crossings. */
function area(a: Histogram, b: Histogram): number {
  const x = [
    ...new Set([a, b].flatMap(({ left, width }) => [...left, ...left.map((low, at) => low + width[at])])),
  ].sort((one, other) => one - other)
  const apart = (value: number, including: boolean): number =>
    elementsBelow(a, value, including) / a.finite - elementsBelow(b, value, including) / b.finite
  let sum = 0
  for (let at = 1; at < x.length; at++) {
    const [start, end] = [apart(x[at - 1], true), apart(x[at], false)]
    const sizes = Math.abs(start) + Math.abs(end)
    if (sizes) sum += ((start * end < 0 ? (start ** 2 + end ** 2) / sizes : sizes) / 2) * (x[at] - x[at - 1])
  }
  return sum
}

/**
 * Two histograms on a common grid with their distance; null where one of them has no finite elements.
 * @param linearBelow of the axis, 0 for a linear one
 */
export function compare(a: Histogram, b: Histogram, cells: number, linearBelow = 0): Comparison | null {
  const apart = distance(a, b)
  const common = commonInterval([a, b])
  if (!apart || !common) return null
  const interval = linearBelow ? { ...common, linearBelow } : common
  const shares = (of: Histogram): Float64Array =>
    cellsOf(of, interval, cells, -1).map((elements) => elements / of.finite)
  return { ...apart, interval, before: shares(a), after: shares(b) }
}

export type Apart = 'same' | 'slight' | 'clear' | 'strong'

/** A distance as a word, by the share of elements that differ: up to 2 %, 10 % and 30 %. */
export function apartWord(ks: number): Apart {
  if (ks <= 0.02) return 'same'
  if (ks <= 0.1) return 'slight'
  return ks <= 0.3 ? 'clear' : 'strong'
}
