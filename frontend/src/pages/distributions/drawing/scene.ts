/**
 * What a plot draws, worked out once for each change of data: heights on a common grid, and the cursor's exact step.
 * Pure.
 */
import type { Row, ViewFrame } from './frame'
import { notFinite, zeroBucket, type Histogram } from './histogram'
import { along, gridEdges, placeOf, type Interval } from './scale'

export type View = 'ridge' | 'offset' | 'overlay' | 'heat' | 'bands'
export const VIEWS: readonly [View, ...View[]] = ['ridge', 'offset', 'overlay', 'heat', 'bands']

/** The meaning of heights: elements of a cell, their density, or the logarithm of their number. */
export const HEIGHTS = ['density', 'count', 'log'] as const
export type Height = (typeof HEIGHTS)[number]

/** The histogram at the step cursor, on the grid of the others. */
export interface Exact {
  histogram: Histogram
  /** The row that contains its step. */
  row: number
  heights: Float64Array
  /** Its elements at zero that are drawn by themselves, as a share. */
  spike: number
}

export interface Scene {
  rows: readonly Row[]
  interval: Interval
  edges: Float64Array
  /** The height of each cell, by row. */
  heights: Float64Array[]
  /** The highest of each row, and of all; the lowest that is not zero. */
  peaks: number[]
  peak: number
  least: number
  exact: Exact | null
  /** Rows with elements that are not finite. */
  odd: number[]
  /** Whether every view shows the whole interval. */
  fixed: boolean
}

/** The drawn part of a canvas, in CSS pixels. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface Place {
  row: number
  value: number
}

/** The row of a step: the last one that begins at or before it; null is the newest, -1 is before the first. */
export function rowOf(rows: readonly Row[], step: number | null): number {
  if (step === null) return rows.length - 1
  return rows.findLastIndex((row) => row.first <= step)
}

/** Turns elements of a cell into its height. `items` histograms are counted together. */
function heightOf(height: Height, wide: number): (elements: number, finite: number, items: number) => number {
  if (height === 'density') return (elements, finite) => (finite ? elements / finite / wide : 0)
  if (height === 'count') return (elements, _, items) => elements / items
  return (elements, _, items) => Math.log10(1 + elements / items)
}

/**
 * Elements in each cell of a grid, spread evenly along the axis inside their bucket; those of one bucket are left out.
 */
export function cellsOf(of: Histogram, interval: Interval, cells: number, without: number): Float64Array {
  const counts = new Float64Array(cells)
  const at = (value: number): number => along(interval, value, cells)
  of.count.forEach((count, bucket) => {
    if (!count || bucket === without) return
    const [start, end] = [at(of.left[bucket]), at(of.left[bucket] + of.width[bucket])]
    for (let cell = Math.max(0, Math.floor(start)); cell < cells && (cell < end || cell <= start); cell++) {
      const overlap = Math.min(end, cell + 1) - Math.max(start, cell)
      counts[cell] += end > start ? (count * Math.max(0, overlap)) / (end - start) : count
      if (end <= start) break
    }
    if (start >= cells) counts[cells - 1] += end > start ? 0 : count
  })
  return counts
}

/**
 * @param frame of the server
 * @param exact the histogram at the step cursor; null if not loaded yet
 */
export function makeScene(
  { rows, interval, cells, counts, fixed = false }: ViewFrame,
  height: Height,
  exact: Histogram | null,
): Scene {
  const edges = gridEdges(interval, Math.max(1, cells))
  const wide = (placeOf(interval, interval.high) - placeOf(interval, interval.low)) / Math.max(1, cells)
  const write = heightOf(height, wide)
  const heights = rows.map((row, at) =>
    Float64Array.from(counts.subarray(at * cells, (at + 1) * cells), (one) => write(one, row.finite, row.items)),
  )
  const at = exact ? rowOf(rows, exact.step) : -1
  let here: Exact | null = null
  if (exact && at >= 0 && cells > 0) {
    const alone = rows[at].spike > 0 ? zeroBucket(exact) : -1
    const shares = cellsOf(exact, interval, cells, alone).map((one) => write(one, exact.finite, 1))
    here = {
      histogram: exact,
      row: at,
      heights: shares,
      spike: alone < 0 || !exact.finite ? 0 : exact.count[alone] / exact.finite,
    }
  }
  const all = here ? [...heights, here.heights] : heights
  const peaks = heights.map((row) => row.reduce((high, one) => Math.max(high, one), 0))
  return {
    rows,
    interval,
    edges,
    heights,
    peaks,
    exact: here,
    peak: all.reduce((most, row) => row.reduce((high, one) => Math.max(high, one), most), 0) || 1,
    least: heights.reduce(
      (low, row) => row.reduce((lower, one) => (one > 0 ? Math.min(lower, one) : lower), low),
      Infinity,
    ),
    odd: rows.flatMap((row, index) => (notFinite(row) ? [index] : [])),
    fixed,
  }
}

/** The interval of values that a view shows: bands need no more than their outer percentiles. */
export function valueInterval(scene: Scene, view: View): Interval {
  if (view !== 'bands' || scene.fixed) return scene.interval
  const finite = scene.rows.flatMap(({ bands }) => bands).filter(Number.isFinite)
  if (!finite.length) return scene.interval
  const [low, high] = [finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b))]
  const room = (high - low) * 0.06 || Math.abs(low) / 2 || 0.5
  const linearBelow =
    scene.interval.linearBelow && Math.max(Math.abs(low), Math.abs(high)) > scene.interval.linearBelow
      ? scene.interval.linearBelow
      : 0
  return linearBelow ? { low, high, linearBelow } : { low: low - room, high: high + room }
}

/** The start and end of each row on an axis of steps: half-way to its neighbours. */
export function rowEdges({ rows }: Scene): Float64Array {
  const last = rows.length - 1
  const between = (at: number): number => (rows[at - 1].last + rows[at].first) / 2
  return Float64Array.from({ length: rows.length + 1 }, (_, at) => {
    if (at === 0) return rows[0].first - (last > 0 ? between(1) - rows[0].last : 0.5)
    if (at > last) return rows[last].last + (last > 0 ? rows[last].first - between(last) : 0.5)
    return between(at)
  })
}
