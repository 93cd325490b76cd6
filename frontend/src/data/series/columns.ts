/**
 * The held points of one series: three growable Float64 columns, filled by a view over HTTP and extended by live
 * points. Written by the series store, read by charts.
 */
import type { Frame } from '../frames'

const SPARE = 256

export class Columns {
  step = new Float64Array(0)
  wall = new Float64Array(0)
  value = new Float64Array(0)
  length = 0
  /** Index after the last point covered. */
  end = 0
  /** Number of rows from the view. The rows after them are single points up to `end`. */
  viewRows = 0
  viewEnd = 0
  /** True if the rows have every point of their range, false for an envelope. */
  complete = true
  /**
   * In an envelope, 1 for rows chosen for their place (first and last of their pixel column) and 0 for extremes: only
   * the former are a representative sample. Null if every row is one.
   */
  sample: Uint8Array | null = null
  /** True while steps never decrease, so that binary search works. */
  ordered = true
  /** The highest held step; the last one while steps are ordered. */
  top = -Infinity
  /** Grows with every change. */
  version = 0
  /** Changes when rows before the end were replaced: derived data is then invalid. */
  generation = 0

  /**
   * Replaces all rows by a view, but keeps live points that the view does not cover yet.
   * @param width requested pixel columns of the view
   */
  replace(view: Frame, width: number): void {
    const tail = this.tailFrom(view.end)
    this.length = 0
    this.ordered = true
    this.top = -Infinity
    this.generation++
    this.write(view.step, view.wall, view.value, 0)
    this.viewRows = this.length
    this.viewEnd = this.end = view.end
    this.complete = view.kind === 'points'
    this.sample = this.complete ? null : fairSample(view.step, width)
    if (tail) {
      this.write(tail.step, tail.wall, tail.value, 0)
      this.end = tail.end
    }
    this.version++
  }

  /**
   * Appends live points, ignoring held ones.
   * @returns the number of added rows, or -1 if points in between are missing
   */
  append(frame: Frame): number {
    if (frame.first > this.end) return -1
    const skip = this.end - frame.first
    if (skip >= frame.count) return 0
    this.write(frame.step, frame.wall, frame.value, skip)
    this.end = frame.end
    this.version++
    return frame.count - skip
  }

  clear(): void {
    this.length = this.end = this.viewRows = this.viewEnd = 0
    this.complete = this.ordered = true
    this.sample = null
    this.top = -Infinity
    this.version++
    this.generation++
  }

  /** Rows appended since the view was fetched. */
  get appended(): number {
    return this.length - this.viewRows
  }

  /** Row of the live point with an index; -1 if the view covers the index. */
  rowOf(index: number): number {
    return index < this.viewEnd ? -1 : this.viewRows + index - this.viewEnd
  }

  /** Row of the last point with a step up to `step`; -1 if there is none. */
  rowAt(step: number): number {
    if (!this.ordered) return this.scanAt(step)
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.step[middle] <= step) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** After a restart steps repeat: the newest matching point counts. */
  private scanAt(step: number): number {
    let best = -1
    for (let row = this.length - 1; row >= 0; row--) {
      const here = this.step[row]
      if (here <= step && (best < 0 || here > this.step[best])) best = row
    }
    return best
  }

  private tailFrom(index: number): { step: Float64Array; wall: Float64Array; value: Float64Array; end: number } | null {
    if (index < this.viewEnd || index >= this.end) return null
    const from = this.viewRows + (index - this.viewEnd)
    return {
      step: this.step.slice(from, this.length),
      wall: this.wall.slice(from, this.length),
      value: this.value.slice(from, this.length),
      end: this.end,
    }
  }

  private write(step: ArrayLike<number>, wall: ArrayLike<number>, value: ArrayLike<number>, skip: number): void {
    const count = step.length - skip
    this.reserve(this.length + count)
    let at = this.length
    let before = at ? this.step[at - 1] : -Infinity
    for (let row = skip; row < step.length; row++, at++) {
      const here = step[row]
      if (here < before) this.ordered = false
      if (here > this.top) this.top = here
      before = this.step[at] = here
      this.wall[at] = wall[row]
      this.value[at] = value[row]
    }
    this.length = at
  }

  private reserve(rows: number): void {
    if (rows <= this.step.length) return
    const size = Math.max(rows + SPARE, this.step.length * 2)
    this.step = grown(this.step, size)
    this.wall = grown(this.wall, size)
    this.value = grown(this.value, size)
  }
}

function grown(column: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(size)
  larger.set(column)
  return larger
}

/** Marks the first and the last row of each pixel column, with the server's columns. */
function fairSample(step: Float64Array, width: number): Uint8Array {
  const sample = new Uint8Array(step.length)
  if (!step.length) return sample
  const start = step[0]
  const perColumn = (step[step.length - 1] + 1 - start) / width
  let column = -1
  for (let row = 0; row < step.length; row++) {
    const here = Math.floor((step[row] - start) / perColumn)
    if (here === column) continue
    column = here
    sample[row] = 1
    if (row) sample[row - 1] = 1
  }
  sample[step.length - 1] = 1
  return sample
}
