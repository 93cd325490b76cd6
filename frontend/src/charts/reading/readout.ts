/**
 * The values of the runs at one place of the x axis, for the table, the dots and screen readers. One reading per run.
 */
import type { Columns } from '../../data/series/columns'
import type { HeldSeries } from '../../data/series/seriesStore'
import type { Curve } from '../curves/curve'
import { byRun, bySegment, type PlotSeries } from '../curves/parts'

export type { PlotSeries } from '../curves/parts'

/** A line with its data, from a plot. */
export interface PlottedSeries {
  spec: PlotSeries
  series: HeldSeries
  /** The drawn columns: the refined view if the chart is zoomed. */
  curve: Curve
  /** The whole series, for places outside the drawn range. */
  whole: Curve
  /** The smoothed values of both: the same curves, or curves smoothed by the server. */
  smooth: Curve
  smoothWhole: Curve
}

export interface Reading {
  spec: PlotSeries
  /** Row of the point; -1 if the run has none there. */
  row: number
  x: number
  step: number
  value: number
  smooth: number
  /** The lowest held value and its step, without values that were trained again later. */
  min: number
  minStep: number
}

/** The lowest and highest finite rows of columns; -1 if there is none. Continues where it ended. */
class Extremes {
  low = -1
  high = -1
  private generation = -1
  private seen = 0
  private before = Infinity

  update({ value, step, length, generation }: Columns, before: number): this {
    if (generation !== this.generation || before !== this.before) {
      this.generation = generation
      this.before = before
      this.low = this.high = -1
      this.seen = 0
    }
    for (let row = this.seen; row < length; row++) {
      if (!Number.isFinite(value[row]) || step[row] >= before) continue
      if (this.low < 0 || value[row] < value[this.low]) this.low = row
      if (this.high < 0 || value[row] > value[this.high]) this.high = row
    }
    this.seen = length
    return this
  }
}

const known = new WeakMap<Columns, Extremes>()

/**
 * The rows of the lowest and the highest finite value of a line; -1 if there is none. For a superseded line only points
 * before the restart count: the rest was trained again.
 */
export function extremes({ series, spec }: Pick<PlottedSeries, 'series' | 'spec'>): { low: number; high: number } {
  const columns = series.full
  let found = known.get(columns)
  if (!found) known.set(columns, (found = new Extremes()))
  return found.update(columns, spec.restart ?? Infinity)
}

/** A place on the x axis: the same for all lines, or one for each; null for the newest point. */
export type Place = number | null | ((line: PlottedSeries) => number | null)

/** Reads all runs at a place: the newest segment if it has a value there, else the newest of the older ones. */
export function readAt(plotted: readonly PlottedSeries[], place: Place): Reading[] {
  const placeOf = typeof place === 'function' ? place : (): number | null => place
  return byRun(plotted).map((parts) => {
    const segments = bySegment(parts)
    return readRun(parts, place === null ? segments.slice(0, 1) : segments, placeOf)
  })
}

interface Found {
  line: PlottedSeries
  row: number
  curve: Curve
}

function readRun(
  parts: readonly PlottedSeries[],
  segments: readonly PlottedSeries[][],
  placeOf: (line: PlottedSeries) => number | null,
): Reading {
  const found = segments.map((lines) => readSegment(lines, placeOf)).find((one) => one !== null) ?? null
  const spec = found?.line.spec ?? segments[0][0].spec
  const lowest = lowestOf(parts)
  if (!found) return { spec, row: -1, x: NaN, step: NaN, value: NaN, smooth: NaN, ...lowest }
  const { line, curve, row } = found
  const x = curve.x[row]
  return { spec, row, x, step: curve.step[row], value: curve.y[row], smooth: smoothAt(line, curve, row, x), ...lowest }
}

/** The part whose point is nearest before the place. */
function readSegment(lines: readonly PlottedSeries[], placeOf: (line: PlottedSeries) => number | null): Found | null {
  let best: Found | null = null
  let within = false
  for (const line of lines) {
    const { whole } = line
    if (!whole.length) continue
    const x = placeOf(line) ?? whole.end
    // A run that ended before this place, or started after it, has no value there.
    within ||= x <= whole.end
    if (x < whole.x[0]) continue
    const found = { line, ...rowIn(line, x) }
    if (found.row >= 0 && (!best || found.curve.x[found.row] >= best.curve.x[best.row])) best = found
  }
  return within ? best : null
}

function rowIn({ curve, whole }: PlottedSeries, x: number): { curve: Curve; row: number } {
  const drawn = curve.length > 0 && x >= curve.x[0] && x <= curve.end
  return drawn ? { curve, row: curve.rowAt(x) } : { curve: whole, row: whole.rowAt(x) }
}

function smoothAt(line: PlottedSeries, curve: Curve, row: number, x: number): number {
  const smooth = curve === line.whole ? line.smoothWhole : line.smooth
  return smooth === curve ? curve.smooth[row] : smooth.smoothAt(x)
}

function lowestOf(parts: readonly PlottedSeries[]): { min: number; minStep: number } {
  let lowest = { min: NaN, minStep: NaN }
  for (const part of parts) {
    const { full } = part.series
    const { low } = extremes(part)
    if (low >= 0 && !(full.value[low] >= lowest.min)) lowest = { min: full.value[low], minStep: full.step[low] }
  }
  return lowest
}

/** Readings sorted by the distance of their curves from the pointer; unchanged if it is elsewhere. */
export function nearestFirst(readings: readonly Reading[], distance: (one: Reading) => number | null): Reading[] {
  const far = new Map(readings.map((one) => [one, distance(one) ?? Infinity]))
  return [...readings].sort((a, b) => {
    const [one, other] = [far.get(a) ?? Infinity, far.get(b) ?? Infinity]
    return one === other ? 0 : one - other
  })
}

export type SortKey = 'name' | 'value' | 'smooth' | 'min' | 'minStep'

/** Sorts readings. Values that are not finite come last in both directions. */
export function sortReadings(readings: readonly Reading[], key: SortKey, down: boolean): Reading[] {
  const turn = down ? -1 : 1
  return [...readings].sort((a, b) => {
    if (key === 'name') return turn * a.spec.name.localeCompare(b.spec.name, undefined, { numeric: true })
    const one = a[key]
    const other = b[key]
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
    return turn * (one - other)
  })
}

/** The step of any line that is nearest to a place on the x axis; null without points. */
export function nearestStep(plotted: readonly PlottedSeries[], x: number): number | null {
  let best: number | null = null
  let distance = Infinity
  for (const { curve } of plotted) {
    const row = curve.nearest(x)
    if (row < 0 || Math.abs(curve.x[row] - x) >= distance) continue
    distance = Math.abs(curve.x[row] - x)
    best = curve.step[row]
  }
  return best
}
