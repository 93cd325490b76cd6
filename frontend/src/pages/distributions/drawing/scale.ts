/**
 * Axes of values and steps: where a value lies along a length, ticks, edges of cells. Pure; drawn by axes.ts and the
 * views.
 */
import { tickTexts } from '../../../charts/scales/numbers'
import { linearTicks } from '../../../charts/scales/ticks'

export interface Interval {
  low: number
  high: number
  /** Of a symmetric logarithmic axis what lies closer to zero than this is linear; 0 or nothing for a linear axis. */
  linearBelow?: number
}

export interface Tick {
  at: number
  text: string
}

/** The place of a value on the axis, in the axis' units. */
export function placeOf({ linearBelow }: Interval, value: number): number {
  return linearBelow ? Math.sign(value) * Math.log10(1 + Math.abs(value) / linearBelow) : value
}

function valueOf({ linearBelow }: Interval, place: number): number {
  return linearBelow ? Math.sign(place) * (10 ** Math.abs(place) - 1) * linearBelow : place
}

/** The place of a value along a length. */
export function along(interval: Interval, value: number, length: number): number {
  const [low, high] = [placeOf(interval, interval.low), placeOf(interval, interval.high)]
  return ((placeOf(interval, value) - low) / (high - low)) * length
}

/** The value at a part of the axis, 0 at its low end and 1 at its high one. */
export function valueAt(interval: Interval, part: number): number {
  const inside = Math.min(1, Math.max(0, part))
  if (inside === 0 || inside === 1) return inside ? interval.high : interval.low
  const [low, high] = [placeOf(interval, interval.low), placeOf(interval, interval.high)]
  return valueOf(interval, low + inside * (high - low))
}

/** The edges of cells that have equal widths on the axis. */
export function gridEdges(interval: Interval, cells: number): Float64Array {
  return Float64Array.from({ length: cells + 1 }, (_, at) => valueAt(interval, at / cells))
}

/** Zero and powers of ten, as many as fit. */
function logarithmicTicks(interval: Interval, count: number): number[] {
  const most = Math.max(Math.abs(interval.low), Math.abs(interval.high))
  const [first, last] = [Math.ceil(Math.log10(interval.linearBelow ?? 1)), Math.floor(Math.log10(most))]
  const sides = interval.low < 0 && interval.high > 0 ? 2 : 1
  const every = Math.max(1, Math.ceil(((last - first + 1) * sides) / Math.max(1, count - 1)))
  const powers: number[] = []
  for (let power = last; power >= first; power -= every) powers.push(Number(`1e${power}`))
  const all = [...powers.map((one) => -one), 0, ...powers.reverse()]
  // A power near zero may be too close to it.
  return all
    .filter((one) => one >= interval.low && one <= interval.high)
    .filter(
      (one) =>
        one === 0 ||
        interval.low > 0 ||
        interval.high < 0 ||
        Math.abs(along(interval, one, 1) - along(interval, 0, 1)) > 0.6 / count,
    )
}

/** Ticks with their texts; about `count`. */
export function ticksOf(interval: Interval, count: number, whole = false): Tick[] {
  const wanted = Math.max(2, count)
  const at = interval.linearBelow
    ? logarithmicTicks(interval, wanted)
    : linearTicks(interval.low, interval.high, wanted).filter((one) => !whole || Number.isInteger(one))
  return tickTexts(at).map((text, k) => ({ at: at[k], text }))
}
