/**
 * The drawn form of a series' columns: x in the chosen unit and the smoothed values. It continues after appended
 * points, and starts again if the columns were replaced. Owned by a LinePlot.
 */
import type { Columns } from '../../data/series/columns'
import { DebiasedEma, smoothingUnit } from '../../data/series/smoothing'
import { isTime, tagOf, type Smoothing, type XAxis } from '../view'
import { smoothByWindows } from './windows'

export type { XAxis } from '../view'

export interface CurveSettings {
  axis: XAxis
  smoothing: Smoothing
  /** Step or wall time of zero on a relative axis. */
  origin: number
  /** First and last step of the whole curve. The columns may be a part of it. */
  span: number
}

export class Curve {
  x = new Float64Array(0)
  y = new Float64Array(0)
  step = new Float64Array(0)
  /** The smoothed values, or the raw ones without smoothing. */
  smooth = new Float64Array(0)
  length = 0
  /** Whether x never decreases. Steps decrease after a restart. */
  ordered = true
  /** Step or wall time of x = 0. */
  origin = 0
  private source: Columns | null = null
  private generation = -1
  private settings = ''
  private ema: DebiasedEma | null = null
  private relative = new Float64Array(0)
  private smoothed = new Float64Array(0)
  private smoothedVersion = -1

  /**
   * Updates the curve from its columns.
   * @param whole the curve of the whole series if `columns` are a part: smoothing continues from the points before
   * @param previous the curve that this one continues, such as another file's
   */
  update(
    columns: Columns,
    { axis, smoothing: { kind, amount }, origin, span }: CurveSettings,
    whole?: Curve,
    previous?: Curve,
  ): void {
    const unit = smoothingUnit(span)
    const settings = `${axis}/${kind}/${amount}/${origin}/${unit}/${previous?.length}`
    const anew = this.source !== columns || this.generation !== columns.generation || this.settings !== settings
    if (anew) {
      this.source = columns
      this.generation = columns.generation
      this.settings = settings
      this.ema = amount > 0 && kind === 'ema' ? new DebiasedEma(amount, unit) : null
      this.length = 0
      this.smoothedVersion = -1
      if (columns.length) [whole, previous].some((before) => before && this.seed(before, columns.step[0]))
    }
    this.y = columns.value
    this.step = columns.step
    this.ordered = isTime(axis) || tagOf(axis) !== null || columns.ordered
    this.origin = axis === 'relative' || axis === 'relative-step' ? origin : 0
    this.deriveX(columns, axis)
    if (kind !== 'ema' && amount > 0) this.deriveWindows(columns, kind, amount, unit)
    else this.deriveSmooth(columns)
    this.length = columns.length
  }

  /** The highest x. */
  get end(): number {
    if (!this.length) return -Infinity
    return this.ordered || !this.source ? this.x[this.length - 1] : this.source.top - this.origin
  }

  /** Row of the last point at or before `x`; -1 if there is none. */
  rowAt(x: number): number {
    if (!this.ordered && this.source) return this.source.rowAt(x + this.origin)
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.x[middle] <= x) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** Row of the last point with a step up to `step`; -1 if there is none. */
  rowOfStep(step: number): number {
    return this.source?.rowAt(step) ?? -1
  }

  /** Row of the point nearest to `x`; -1 if there is none. */
  nearest(x: number): number {
    const row = this.rowAt(x)
    if (row < 0) return this.length ? 0 : -1
    if (row + 1 < this.length && this.x[row + 1] - x < x - this.x[row]) return row + 1
    return row
  }

  /** The value of the drawn curve at or before `x`; NaN if there is none. */
  smoothAt(x: number): number {
    const row = this.rowAt(x)
    return row < 0 ? NaN : this.smooth[row]
  }

  /** Continues from the last point of another curve before a step. */
  private seed(before: Curve, step: number): boolean {
    const row = before.source?.rowAt(step - 1) ?? -1
    if (row < 0 || !Number.isFinite(before.smooth[row])) return false
    const rest = row === before.length - 1 ? (before.ema?.rest ?? 0) : 0
    this.ema?.seed(before.smooth[row], before.step[row], rest)
    return true
  }

  /** Whether a row was chosen for its place and not as an extreme. True for all rows if every point is held. */
  isFair(row: number): boolean {
    const sample = this.source?.sample
    return !sample || row >= sample.length || sample[row] === 1
  }

  /** Whether every point is held. */
  get complete(): boolean {
    return this.source?.complete ?? true
  }

  private deriveX(columns: Columns, axis: XAxis): void {
    const recorded = isTime(axis) || tagOf(axis) !== null ? columns.wall : columns.step
    if (axis !== 'relative' && axis !== 'relative-step') {
      this.x = recorded
      return
    }
    this.relative = roomFor(this.relative, columns.value.length)
    for (let row = this.length; row < columns.length; row++) this.relative[row] = recorded[row] - this.origin
    this.x = this.relative
  }

  /** A new point changes earlier smoothed values, so all are smoothed again. */
  private deriveWindows(columns: Columns, kind: 'mean' | 'gaussian', amount: number, unit: number): void {
    if (this.smoothedVersion !== columns.version || this.length === 0) {
      this.smoothed = roomFor(this.smoothed, columns.value.length)
      smoothByWindows(kind, amount, columns.step, columns.value, columns.length, unit, this.smoothed)
      this.smoothedVersion = columns.version
    }
    this.smooth = this.smoothed
  }

  private deriveSmooth(columns: Columns): void {
    if (!this.ema) {
      this.smooth = columns.value
      return
    }
    this.smoothed = roomFor(this.smoothed, columns.value.length)
    this.ema.extend(columns.step, columns.value, this.length, columns.length, this.smoothed, columns.sample)
    this.smooth = this.smoothed
  }
}

function roomFor(column: Float64Array<ArrayBuffer>, size: number): Float64Array<ArrayBuffer> {
  if (column.length >= size) return column
  const larger = new Float64Array(size)
  larger.set(column)
  return larger
}
