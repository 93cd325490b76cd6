/**
 * Where two curves part: the first step at which their smoothed values differ by more than their noise, and from which
 * on they stay apart. Pure; called by LossCurves.vue.
 */
import { DebiasedEma, smoothingUnit } from '../data/series/smoothing'

/** Points of a curve, in order of their steps. */
export interface Points {
  readonly length: number
  readonly step: ArrayLike<number>
  readonly value: ArrayLike<number>
}

const SMOOTHING = 0.8
/** With fewer points of either curve nothing can be said. */
const FEWEST = 8
/** At least this share of the common points must lie apart, so that a last noisy point is no parting. */
const LASTING = 0.05

interface Smoothed {
  step: Float64Array
  value: Float64Array
  /** Standard deviation of the measured values around the smoothed ones. */
  noise: number
}

/** The distance of points in steps, or the smoothing's own unit of a long curve. Both curves lag alike with one. */
function unitOf({ step, length }: Points): number {
  const span = length ? step[length - 1] - step[0] : 0
  return Math.max(smoothingUnit(span), span / Math.max(1, length))
}

function smoothed(points: Points, unit: number): Smoothed | null {
  const kept = Array.from({ length: points.length }, (_, row) => row).filter((row) =>
    Number.isFinite(points.value[row]),
  )
  if (kept.length < FEWEST) return null
  const step = Float64Array.from(kept, (row) => points.step[row])
  const raw = Float64Array.from(kept, (row) => points.value[row])
  const value = new Float64Array(kept.length)
  new DebiasedEma(SMOOTHING, unit).extend(step, raw, 0, kept.length, value, null)
  return { step, value, noise: noiseOf(raw) }
}

/** The standard deviation of a normal distribution in terms of the median of its absolute values. */
const PER_MEDIAN = 1.4826

/**
 * The standard deviation of values around their trend, from the differences of neighbours, for which a trend hardly
 * counts. Their median is not moved by a few jumps, as where a loss explodes. Where most neighbours are equal it is 0,
 * and the mean square is taken.
 */
function noiseOf(raw: Float64Array): number {
  const jumps = raw.subarray(1).map((value, at) => Math.abs(value - raw[at]))
  const median = jumps.slice().sort()[jumps.length >> 1]
  if (median > 0) return (PER_MEDIAN * median) / Math.SQRT2
  return Math.sqrt(jumps.reduce((sum, jump) => sum + jump ** 2, 0) / (2 * jumps.length))
}

/** The step at which two curves part; null if they never do for good, or too little is known. */
export function partingStep(one: Points, other: Points): number | null {
  const unit = Math.max(unitOf(one), unitOf(other))
  const [a, b] = [smoothed(one, unit), smoothed(other, unit)]
  if (!a || !b) return null
  const noise = Math.hypot(a.noise, b.noise)
  const last = Math.min(a.step[a.step.length - 1], b.step[b.step.length - 1])
  let row = 0
  let common = 0
  let apart = 0
  let since: number | null = null
  let side = 0
  for (let at = 0; at < a.step.length && a.step[at] <= last; at++) {
    while (row + 1 < b.step.length && b.step[row + 1] <= a.step[at]) row++
    if (b.step[row] > a.step[at]) continue
    common++
    const difference = a.value[at] - b.value[row]
    const now = Math.abs(difference) > noise ? Math.sign(difference) : 0
    if (now === 0 || now !== side) {
      since = now === 0 ? null : a.step[at]
      apart = 0
    }
    side = now
    if (now !== 0) apart++
  }
  return since !== null && apart >= Math.max(3, common * LASTING) ? since : null
}
