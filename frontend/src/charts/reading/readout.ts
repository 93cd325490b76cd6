/**
 * The values of the runs at one place of the x axis, for the table, the dots and screen readers. One reading per run.
 */
import type { Columns } from '../../data/series/columns'
import type { HeldSeries } from '../../data/series/seriesStore'
import type { Curve, XAxis } from '../curves/curve'
import { byRun, bySegment, type PlotSeries } from '../curves/parts'
import { rowsWithin, type Range } from '../scales/range'

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
  /** The lowest and highest value of the range shown, and their steps, without what was trained again later. */
  min: number
  minStep: number
  max: number
  maxStep: number
}

type Bounds = Pick<Reading, 'min' | 'minStep' | 'max' | 'maxStep'>

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

/**
 * Reads all runs at a place: the newest segment if it has a value there, else the newest of the older ones.
 * @param range the zoomed range of x, which bounds the lowest and highest values; null for all points
 */
export function readAt(plotted: readonly PlottedSeries[], place: Place, range: Range | null = null): Reading[] {
  const placeOf = typeof place === 'function' ? place : (): number | null => place
  return byRun(plotted).map((parts) => {
    const segments = bySegment(parts)
    return readRun(parts, place === null ? segments.slice(0, 1) : segments, placeOf, range)
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
  range: Range | null,
): Reading {
  const found = segments.map((lines) => readSegment(lines, placeOf)).find((one) => one !== null) ?? null
  const spec = found?.line.spec ?? segments[0][0].spec
  const bounds = boundsOf(parts, range)
  if (!found) return { spec, row: -1, x: NaN, step: NaN, value: NaN, smooth: NaN, ...bounds }
  const { line, curve, row } = found
  const x = curve.x[row]
  return { spec, row, x, step: curve.step[row], value: curve.y[row], smooth: smoothAt(line, curve, row, x), ...bounds }
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

/** The first and last finite value of a line in a range; NaN if there is none. */
export function endsWithin({ curve, spec }: PlottedSeries, range: Range): { first: number; last: number } {
  const ends = { first: NaN, last: NaN }
  eachWithin(curve, range, spec.restart, (y) => {
    if (Number.isNaN(ends.first)) ends.first = y
    ends.last = y
  })
  return ends
}

/** In a range, a zoomed chart holds every extreme of it: views of the server keep them. */
export function boundsOf(parts: readonly PlottedSeries[], range: Range | null): Bounds {
  const found: Bounds = { min: NaN, minStep: NaN, max: NaN, maxStep: NaN }
  for (const part of parts) {
    if (range) widenWithin(found, part, range)
    else {
      const { value, step } = part.series.full
      const { low, high } = extremes(part)
      for (const row of [low, high]) if (row >= 0) widen(found, value[row], step[row])
    }
  }
  return found
}

function widenWithin(found: Bounds, { curve, spec }: PlottedSeries, range: Range): void {
  eachWithin(curve, range, spec.restart, (y, step) => widen(found, y, step))
}

/** Visits the finite values in a range, without what was trained again after a restart. */
function eachWithin(
  curve: Curve,
  range: Range,
  restart: number | null,
  visit: (y: number, step: number) => void,
): void {
  const { from, to } = rowsWithin(curve, range)
  const before = restart ?? Infinity
  for (let row = from; row < to; row++) {
    const inside = curve.x[row] >= range.min && curve.x[row] <= range.max && curve.step[row] < before
    if (inside && Number.isFinite(curve.y[row])) visit(curve.y[row], curve.step[row])
  }
}

function widen(found: Bounds, value: number, step: number): void {
  if (!(value >= found.min)) {
    found.min = value
    found.minStep = step
  }
  if (!(value <= found.max)) {
    found.max = value
    found.maxStep = step
  }
}

/** Readings sorted by the distance of their curves from the pointer; unchanged if it is elsewhere. */
export function nearestFirst(readings: readonly Reading[], distance: (one: Reading) => number | null): Reading[] {
  const far = new Map(readings.map((one) => [one, distance(one) ?? Infinity]))
  return [...readings].sort((a, b) => {
    const [one, other] = [far.get(a) ?? Infinity, far.get(b) ?? Infinity]
    return one === other ? 0 : one - other
  })
}

export type SortKey = 'name' | 'value' | 'smooth' | 'min' | 'minStep' | 'max' | 'maxStep'

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

/** The point of any line that is nearest to a place on the x axis: its place and its step; null without points. */
export function nearestPoint(plotted: readonly PlottedSeries[], x: number): { x: number; step: number } | null {
  let best: { x: number; step: number } | null = null
  for (const { curve } of plotted) {
    const row = curve.nearest(x)
    if (row < 0 || (best && Math.abs(curve.x[row] - x) >= Math.abs(best.x - x))) continue
    best = { x: curve.x[row], step: curve.step[row] }
  }
  return best
}

/**
 * The logged step nearest to one between the first and the last of all lines; other steps stay as they are, and so do
 * those of long series, of which not every step is held.
 */
export function loggedStepNear(plotted: readonly PlottedSeries[], step: number): number {
  const held = plotted.map(({ series }) => series.full).filter(({ length }) => length > 0)
  const within = held.some((one) => one.step[0] <= step) && held.some(({ top }) => top >= step)
  if (!within || held.some(({ complete }) => !complete)) return step
  let best = Infinity
  for (const one of held) {
    const row = one.rowAt(step)
    for (const near of [row, row + 1]) {
      if (near < 0 || near >= one.length) continue
      if (Math.abs(one.step[near] - step) < Math.abs(best - step)) best = one.step[near]
    }
  }
  return best
}

/** Position of a step on this line's x axis; infinite before the first and after the last point. */
export function placeOfStep({ series, whole }: PlottedSeries, step: number, axis: XAxis): number {
  if (axis === 'step') return step
  if (axis === 'relative-step') return step - whole.origin
  const row = whole.rowOfStep(step)
  if (row < 0) return -Infinity
  return step > series.full.top ? Infinity : whole.x[row]
}
