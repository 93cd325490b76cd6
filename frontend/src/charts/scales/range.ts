/** The ranges that a chart covers: x of its curves, and y of the points in that range of x. Called by LinePlot. */
import type { Curve } from '../curves/curve'
import { drawable, LINEAR, type Scale } from './scale'

export interface Range {
  min: number
  max: number
}

/** x of the first and last point of all curves that have a place on the axis; null if there are none. */
export function xExtent(curves: readonly Curve[], scale: Scale = LINEAR): Range | null {
  let min = Infinity
  let max = -Infinity
  for (const curve of curves) {
    if (!curve.length) continue
    min = Math.min(min, firstOn(curve, scale))
    max = Math.max(max, curve.end)
  }
  if (!(min <= max)) return null
  if (min < max) return { min, max }
  return scale.kind === 'log' ? { min: min / 2, max: max * 2 } : { min: min - 0.5, max: max + 0.5 }
}

/** The first x of a curve with a place on the axis. */
function firstOn(curve: Curve, scale: Scale): number {
  if (scale.kind !== 'log' || curve.x[0] > 0) return curve.x[0]
  for (let row = 0; row < curve.length; row++) if (curve.x[row] > 0) return curve.x[row]
  return Infinity
}

/** Both ranges together. */
export function union(one: Range | null, other: Range | null): Range | null {
  if (!one || !other) return one ?? other
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) }
}

/** Rows of a curve inside a range, with one more on either side so that lines reach the edge. */
export function rowsWithin(curve: Curve, range: Range): { from: number; to: number } {
  if (!curve.ordered) return { from: 0, to: curve.length }
  return {
    from: Math.max(0, curve.rowAt(range.min) - 1),
    to: Math.min(curve.length, curve.rowAt(range.max) + 2),
  }
}

/** On an axis of steps, a range from the first to the last whole step in it; one without any is widened to two. */
export function wholeSteps(range: Range, axis: string): Range {
  if (axis !== 'step' && axis !== 'relative-step') return range
  const inside = { min: Math.ceil(range.min), max: Math.floor(range.max) }
  return inside.min < inside.max ? inside : { min: Math.floor(range.min), max: Math.ceil(range.max) }
}

/** Whether a curve has a point inside a range. */
export function hasPoints(curve: Curve, range: Range): boolean {
  const row = curve.rowAt(range.max)
  return row >= 0 && curve.x[row] >= range.min
}

/**
 * The lowest and highest drawable value inside the range of x, measured or smoothed. Called with every drawing: plain
 * loops.
 */
export function yExtent(curves: readonly Curve[], x: Range, scale: Scale): Range | null {
  const found = { min: Infinity, max: -Infinity }
  for (const curve of curves) {
    widen(found, curve, curve.y, x, scale)
    if (curve.smooth !== curve.y) widen(found, curve, curve.smooth, x, scale)
  }
  return found.min > found.max ? null : found
}

function widen(found: Range, curve: Curve, column: Float64Array, { min: left, max: right }: Range, scale: Scale): void {
  const { from, to } = rowsWithin(curve, { min: left, max: right })
  const places = curve.x
  let { min, max } = found
  for (let row = from; row < to; row++) {
    const value = column[row]
    // Most values are not extreme, so one comparison skips the others.
    if (value >= min && value <= max) continue
    if (!(places[row] >= left && places[row] <= right) || !drawable(value, scale)) continue
    if (value < min) min = value
    if (value > max) max = value
  }
  found.min = min
  found.max = max
}

/** Share of the values that a robust range leaves out at each end. */
const LEFT_OUT = 0.01
/** With fewer values none is an outlier. */
const FEWEST = 20

/**
 * The range of the middle 98 % of the measured values inside the range of x; null if that is all of them. In an
 * envelope only rows chosen for their place count, because the others are extremes.
 */
export function robustExtent(curves: readonly Curve[], x: Range, scale: Scale): Range | null {
  const values: number[] = []
  for (const curve of curves) {
    const { from, to } = rowsWithin(curve, x)
    for (let row = from; row < to; row++) {
      if (curve.x[row] < x.min || curve.x[row] > x.max) continue
      if (curve.isFair(row) && drawable(curve.y[row], scale)) values.push(curve.y[row])
    }
  }
  if (values.length < FEWEST) return null
  const sorted = Float64Array.from(values).sort()
  const out = Math.max(1, Math.floor(sorted.length * LEFT_OUT))
  const range = { min: sorted[out], max: sorted[sorted.length - 1 - out] }
  return range.min < range.max ? range : null
}

const MARGIN = 0.05

function linearRange({ min, max }: Range): Range {
  if (min === max) {
    const room = Math.abs(min) * 0.1 || 1
    return { min: min - room, max: max + room }
  }
  const room = (max - min) * MARGIN
  return {
    // A curve that starts at zero and never goes below touches the axis.
    min: min >= 0 && min <= room ? Math.min(0, min) : min - room,
    max: max + room,
  }
}

function bentRange({ min, max }: Range, scale: Scale): Range {
  const low = scale.to(min)
  const high = scale.to(max)
  const room = Math.max((high - low) * MARGIN, 0.05)
  return { min: low - room, max: high + room }
}

/** The range of an axis for these values, in axis positions. Without values: 0 to 1. */
export function rangeAround(extent: Range | null, scale: Scale): Range {
  if (!extent) return scale.kind === 'log' ? { min: -1, max: 1 } : { min: 0, max: 1 }
  return scale.kind === 'linear' ? linearRange(extent) : bentRange(extent, scale)
}

/** The range of y over curves, in axis positions. */
export function yRange(curves: readonly Curve[], x: Range, scale: Scale): Range {
  return rangeAround(yExtent(curves, x, scale), scale)
}

/** Ratio of largest to smallest value from which "auto" chooses a logarithmic axis. */
const LOG_FROM = 40

/** Whether values from `min` to `max` are easier to read on a logarithmic axis. */
export function prefersLog(min: number, max: number): boolean {
  return min > 0 && Number.isFinite(max) && max / min >= LOG_FROM
}
