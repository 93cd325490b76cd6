/**
 * Smooths by windows around each point, like the server (`mindinsight/scalars/curves/windows.py` defines it): the mean
 * of a window, or a mean weighted by a bell curve. Used by curves with all points.
 */

const BINS_PER_SIGMA = 32
const CUT = 4
/** Points exactly at the end of a window belong to it, even after rounding. */
const SLACK = 1e-9

/** The reach of a window to either side, in units. */
export function windowReach(amount: number): number {
  return (1 + amount) / (1 - amount) / 2 + SLACK
}

/** Standard deviation of the bell curve, in units. */
export function bellSigma(amount: number): number {
  return (1 + amount) / (1 - amount) / Math.sqrt(12)
}

interface Laid {
  /** Positions of the finite points, in units. */
  place: Float64Array
  value: Float64Array
  count: number
}

function layOut(step: Float64Array, value: Float64Array, length: number, unit: number): Laid {
  const laid = { place: new Float64Array(length), value: new Float64Array(length), count: 0 }
  let last = NaN
  let at = 0
  for (let row = 0; row < length; row++) {
    if (!Number.isFinite(value[row])) continue
    const distance = (step[row] - last) / unit
    // A distant point counts as one unit away.
    if (laid.count) at += distance >= 0 && distance < 1 ? distance : 1
    last = step[row]
    laid.place[laid.count] = at
    laid.value[laid.count++] = value[row]
  }
  return laid
}

const between = (value: number, min: number, max: number): number => (value > min ? (value < max ? value : max) : min)

/** Sums of windows are composed of two halves, so that nothing is ever subtracted. */
function means({ place, value, count }: Laid, reach: number): Float64Array {
  const mean = new Float64Array(count)
  const sums = new Float64Array(count)
  const lows = new Float64Array(count)
  const highs = new Float64Array(count)
  let sum = 0
  let low = Infinity
  let high = -Infinity
  let left = 0
  let middle = 0
  let right = 0
  for (let at = 0; at < count; at++) {
    for (; right < count && place[right] - place[at] <= reach; right++) {
      sum += value[right]
      low = Math.min(low, value[right])
      high = Math.max(high, value[right])
    }
    for (; place[at] - place[left] > reach; left++) {
      if (left < middle) continue
      sum = 0
      low = Infinity
      high = -Infinity
      for (let one = right - 1; one >= left; one--) {
        sums[one] = sum += value[one]
        lows[one] = low = Math.min(low, value[one])
        highs[one] = high = Math.max(high, value[one])
      }
      middle = right
      sum = 0
      low = Infinity
      high = -Infinity
    }
    const front = left < middle
    const total = front ? sums[left] + sum : sum
    mean[at] = between(
      total / (right - left),
      front ? Math.min(lows[left], low) : low,
      front ? Math.max(highs[left], high) : high,
    )
  }
  return mean
}

interface Bin {
  number: number
  count: number
  place: number
  sum: number
  low: number
  high: number
}

function fillBins({ place, value, count }: Laid, width: number): Bin[] {
  const bins: Bin[] = []
  for (let at = 0; at < count; at++) {
    const number = Math.floor(place[at] / width)
    let bin = bins.at(-1)
    if (bin?.number !== number)
      bins.push((bin = { number, count: 0, place: 0, sum: 0, low: Infinity, high: -Infinity }))
    bin.count++
    bin.place += (place[at] - bin.place) / bin.count
    bin.sum += value[at]
    bin.low = Math.min(bin.low, value[at])
    bin.high = Math.max(bin.high, value[at])
  }
  return bins
}

/** Points that are very close are merged. From their middle the curve continues with its slope. */
function bells(laid: Laid, sigma: number): Float64Array {
  const smooth = new Float64Array(laid.count)
  const bins = fillBins(laid, sigma / BINS_PER_SIGMA)
  const reach = CUT * sigma
  let from = 0
  let to = 0
  let row = 0
  for (const here of bins) {
    while (to < bins.length && bins[to].place - here.place <= reach) to++
    while (here.place - bins[from].place > reach) from++
    let weights = 0
    let sums = 0
    let weightSlopes = 0
    let sumSlopes = 0
    let low = Infinity
    let high = -Infinity
    for (let at = from; at < to; at++) {
      const bin = bins[at]
      const away = (here.place - bin.place) / sigma
      const weight = Math.exp(-0.5 * away * away)
      const slope = (-weight * away) / sigma
      weights += weight * bin.count
      sums += weight * bin.sum
      weightSlopes += slope * bin.count
      sumSlopes += slope * bin.sum
      low = Math.min(low, bin.low)
      high = Math.max(high, bin.high)
    }
    const mean = sums / weights
    const slope = (sumSlopes - mean * weightSlopes) / weights
    for (const end = row + here.count; row < end; row++) {
      smooth[row] = between(mean + slope * (laid.place[row] - here.place), low, high)
    }
  }
  return smooth
}

/**
 * Smooths all rows of a curve into `into`. Values that are not finite become gaps.
 * @param unit distance in steps from which points count fully
 */
export function smoothByWindows(
  kind: 'mean' | 'gaussian',
  amount: number,
  step: Float64Array,
  value: Float64Array,
  length: number,
  unit: number,
  into: Float64Array,
): void {
  const laid = layOut(step, value, length, unit)
  const smooth = kind === 'mean' ? means(laid, windowReach(amount)) : bells(laid, bellSigma(amount))
  let at = 0
  for (let row = 0; row < length; row++) into[row] = Number.isFinite(value[row]) ? smooth[at++] : NaN
}
