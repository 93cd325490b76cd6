/**
 * One histogram and what can be said of it: shares below a value, percentiles, the bucket at a value. Pure.
 *
 * Inside a bucket elements are taken to be spread evenly; a bucket of width 0 has all of them at one number. What is
 * not finite is in no bucket: it is counted beside them and takes no part in shares and percentiles.
 */
import type { components } from '../../../data/schema'

export type WireHistogram = components['schemas']['Histogram']

export interface Histogram {
  step: number
  /** Lower edges in ascending order, widths, and elements of the buckets. */
  left: Float64Array
  width: Float64Array
  count: Float64Array
  /** Elements up to and including each bucket. */
  upTo: Float64Array
  /** All elements in buckets. */
  finite: number
  /** Of the finite elements; NaN if the writer did not record it. */
  sum: number
  min: number
  max: number
  nan: number
  posInf: number
  negInf: number
  /** The reason why it could not be read, or null. */
  problem: string | null
}

/** Counts of values that are not finite. */
export type OddCounts = Pick<Histogram, 'nan' | 'posInf' | 'negInf'>

export interface Bucket {
  low: number
  high: number
  count: number
  /** Of all finite elements, 0 to 1. */
  share: number
}

function runningSum(counts: Float64Array): Float64Array {
  let sum = 0
  return counts.map((count) => (sum += count))
}

const bound = (value: WireHistogram['min']): number => (value === null ? NaN : Number(value))

/** A histogram of the API. */
export function histogramOf(wire: WireHistogram): Histogram {
  const count = Float64Array.from(wire.count)
  const upTo = runningSum(count)
  return {
    step: wire.step,
    left: Float64Array.from(wire.left),
    width: Float64Array.from(wire.width),
    count,
    upTo,
    finite: upTo.length ? upTo[upTo.length - 1] : 0,
    sum: bound(wire.sum),
    min: bound(wire.min),
    max: bound(wire.max),
    nan: wire.nan_count,
    posInf: wire.pos_inf_count,
    negInf: wire.neg_inf_count,
    problem: wire.error?.message ?? null,
  }
}

/** The number of elements that are not finite. */
export function notFinite({ nan, posInf, negInf }: OddCounts): number {
  return nan + posInf + negInf
}

/** The number of sorted values below a value, or up to and including it. */
function rank(sorted: Float64Array, value: number, withEqual: boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < value || (withEqual && sorted[middle] === value)) low = middle + 1
    else high = middle
  }
  return low
}

/** Elements below a value; with `including`, also the elements at it. */
export function elementsBelow(of: Histogram, value: number, including = false): number {
  const at = rank(of.left, value, including) - 1
  if (at < 0) return 0
  const { left, width, count, upTo } = of
  const part = width[at] > 0 ? Math.min(1, (value - left[at]) / width[at]) : 1
  return upTo[at] - count[at] + count[at] * part
}

/**
 * The value below which a share of the finite elements lies: the lowest x at which the share reaches p, interpolated
 * linearly inside its bucket; NaN where there are no elements.
 */
export function percentile(of: Histogram, p: number): number {
  if (!of.finite) return NaN
  const wanted = p * of.finite
  let at = rank(of.upTo, wanted, false)
  while (at < of.count.length - 1 && of.count[at] === 0) at++
  const inside = (wanted - (of.upTo[at] - of.count[at])) / of.count[at]
  return of.left[at] + of.width[at] * Math.min(1, Math.max(0, inside))
}

export const BANDS = [0.05, 0.25, 0.5, 0.75, 0.95] as const

/** The 5th, 25th, 50th, 75th and 95th percentile. */
export function bands(of: Histogram): number[] {
  return BANDS.map((p) => percentile(of, p))
}

/** The number of the bucket that contains a value, or -1. A value on a common edge belongs to the upper bucket. */
export function bucketAt({ left, width }: Histogram, value: number): number {
  const at = rank(left, value, true) - 1
  if (at < 0) return -1
  return value <= left[at] + width[at] ? at : -1
}

/** A bucket by its number; null if there is none. */
export function bucketOf(of: Histogram, at: number): Bucket | null {
  if (at < 0 || at >= of.left.length) return null
  const low = of.left[at]
  return { low, high: low + of.width[at], count: of.count[at], share: of.finite ? of.count[at] / of.finite : 0 }
}

/** The row of the newest histogram up to a step; -1 if there is none. With null: the newest of all. */
export function rowAt(histograms: readonly Histogram[], step: number | null): number {
  if (step === null) return histograms.length - 1
  let row = histograms.length - 1
  while (row >= 0 && histograms[row].step > step) row--
  return row
}

/**
 * The bucket that has elements and contains the number 0, or -1. A bucket of zeros precedes the one that begins at
 * zero.
 */
export function zeroBucket({ left, width, count }: Histogram): number {
  let at = rank(left, 0, true) - 1
  if (at > 0 && width[at] > 0 && left[at - 1] === 0 && width[at - 1] === 0) at--
  return at >= 0 && left[at] + width[at] >= 0 && count[at] > 0 ? at : -1
}

/** Mean and standard deviation of the finite elements; the mean is exact if the writer recorded the sum. */
export function moments({ left, width, count, finite, sum }: Histogram): { mean: number; std: number } {
  if (!finite) return { mean: NaN, std: NaN }
  const middle = (at: number): number => left[at] + width[at] / 2
  const mean = (Number.isFinite(sum) ? sum : count.reduce((total, one, at) => total + one * middle(at), 0)) / finite
  const spread = count.reduce((total, one, at) => total + one * ((middle(at) - mean) ** 2 + width[at] ** 2 / 12), 0)
  return { mean, std: Math.sqrt(spread / finite) }
}

/** The largest absolute value; NaN if unknown. */
export const maxAbs = ({ min, max }: Pick<Histogram, 'min' | 'max'>): number => Math.max(Math.abs(min), Math.abs(max))

/**
 * Whether a bucket at zero is narrow enough to tell zeros from small numbers.
 * @param p5 and `p95` percentiles of all elements
 */
export const tellsZeros = (width: number, p5: number, p95: number): boolean => width <= 0.1 * (p95 - p5)
