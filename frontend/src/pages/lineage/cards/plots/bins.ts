/** Histogram of a column with round bin edges. Pure. */
import { LINEAR, LOG } from '../../../../charts/scales/scale'
import { linearTicks } from '../../../../charts/scales/ticks'
import type { NumberColumn } from '../../table'

export interface Bins {
  /** In units of the values; one more than there are bins. */
  edges: number[]
  /** Number of runs in each bin, and of those within all brushes. */
  all: number[]
  passing: number[]
  /** Runs without a value, or with one that is not on the axis. */
  without: number
}

/** Approximate number of bins; fewer for few runs. */
const MOST = 24

/**
 * @param counts the rows to count
 * @returns null if no row has a finite value
 */
export function binsOf(
  { values }: NumberColumn,
  scale: 'linear' | 'log',
  counts: (row: number) => boolean,
  passing: Uint8Array,
): Bins | null {
  const { to, from } = scale === 'log' ? LOG : LINEAR
  let [low, high, known, without] = [Infinity, -Infinity, 0, 0]
  for (let row = 0; row < values.length; row++) {
    if (!counts(row)) continue
    const place = to(values[row])
    if (!Number.isFinite(place)) {
      without++
      continue
    }
    known++
    low = Math.min(low, place)
    high = Math.max(high, place)
  }
  if (!known) return null
  if (low === high) [low, high] = [low - (Math.abs(low) * 0.05 || 0.5), high + (Math.abs(high) * 0.05 || 0.5)]
  const wanted = Math.min(MOST, Math.max(5, Math.ceil(2 * Math.cbrt(known))))
  const ticks = linearTicks(low, high, wanted)
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : high - low
  const first = Math.floor(low / step + 1e-9)
  const count = Math.max(1, Math.floor(high / step - 1e-9) - first + 1)
  const bins: Bins = {
    edges: Array.from({ length: count + 1 }, (_, at) => from(Number(((first + at) * step).toPrecision(12)))),
    all: new Array<number>(count).fill(0),
    passing: new Array<number>(count).fill(0),
    without,
  }
  for (let row = 0; row < values.length; row++) {
    const place = to(values[row])
    if (!counts(row) || !Number.isFinite(place)) continue
    const at = Math.min(count - 1, Math.max(0, Math.floor(place / step + 1e-9) - first))
    bins.all[at]++
    if (passing[row]) bins.passing[at]++
  }
  return bins
}
