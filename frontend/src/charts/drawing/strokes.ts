/**
 * Converts rows to pixels: traces a curve with its gaps, and finds the marks for values that are not finite. It uses
 * only `moveTo` and `lineTo` of a canvas, so that tests can read the drawing.
 */

import { drawable, type Scale } from '../scales/scale'

export { drawable } from '../scales/scale'

export interface PathSink {
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
}

/** Maps data to pixels: px = x.to(value) * ax + bx, py = y.to(value) * ay + by. */
export interface Projection {
  ax: number
  bx: number
  ay: number
  by: number
  x: Scale
  y: Scale
}

/** NaN, infinite, or beyond the drawn range. */
export type MarkKind = 'nan' | 'plus' | 'minus' | 'above' | 'below'

export interface Mark {
  px: number
  kind: MarkKind
}

/** The pixel of a value on the y axis. */
export function project(projection: Projection, value: number): number {
  return projection.y.to(value) * projection.ay + projection.by
}

/** The pixel of a position on the x axis. */
export function projectX({ x, ax, bx }: Projection, place: number): number {
  return (x.kind === 'linear' ? place : x.to(place)) * ax + bx
}

/** Traces rows `from` to `to`. Values without a place interrupt the line. A single point becomes a dot. */
export function tracePath(
  sink: PathSink,
  x: Float64Array,
  y: Float64Array,
  from: number,
  to: number,
  projection: Projection,
): void {
  const straight = projection.y.kind === 'linear' && projection.x.kind === 'linear'
  const { ax, bx, ay, by } = projection
  let run = 0
  let px = 0
  let py = 0
  for (let row = from; row < to; row++) {
    const value = y[row]
    const right = straight ? x[row] * ax + bx : projectX(projection, x[row])
    if (!drawable(value, projection.y) || Number.isNaN(right)) {
      if (run === 1) sink.lineTo(px + 0.01, py)
      run = 0
      continue
    }
    px = right
    py = straight ? value * ay + by : project(projection, value)
    if (run === 0) sink.moveTo(px, py)
    else sink.lineTo(px, py)
    run++
  }
  if (run === 1) sink.lineTo(px + 0.01, py)
}

export interface Point {
  x: number
  y: number
}

/** Traces the line from the end of one curve to the start of the next; nothing if one of them has no place. */
export function linkPath(sink: PathSink, [from, to]: readonly [Point, Point], projection: Projection): void {
  const [left, right] = [projectX(projection, from.x), projectX(projection, to.x)]
  if (!drawable(from.y, projection.y) || !drawable(to.y, projection.y) || Number.isNaN(left + right)) return
  sink.moveTo(left, project(projection, from.y))
  sink.lineTo(right, project(projection, to.y))
}

/** Distance in pixels below which marks of a kind are merged, so that arrows do not become a pattern. */
const MARK_APART = 3
const ARROW_APART = 14

/** The marks of a curve. Overlapping ones are merged. */
export function findMarks(x: Float64Array, y: Float64Array, from: number, to: number, projection: Projection): Mark[] {
  const marks: Mark[] = []
  const last = { nan: -Infinity, plus: -Infinity, minus: -Infinity }
  for (let row = from; row < to; row++) {
    const value = y[row]
    if (Number.isFinite(value)) continue
    const kind = Number.isNaN(value) ? 'nan' : value > 0 ? 'plus' : 'minus'
    const px = projectX(projection, x[row])
    if (!(px - last[kind] >= MARK_APART)) continue
    last[kind] = px
    marks.push({ px, kind })
  }
  return marks
}

/** Places where curves leave the range of y: one arrow per few pixels at the edge. */
export function findLeaving(
  x: Float64Array,
  y: Float64Array,
  from: number,
  to: number,
  projection: Projection,
  range: { min: number; max: number },
): Mark[] {
  const marks: Mark[] = []
  const last = { above: -Infinity, below: -Infinity }
  for (let row = from; row < to; row++) {
    if (!drawable(y[row], projection.y)) continue
    const place = projection.y.to(y[row])
    const side = place > range.max ? 'above' : place < range.min ? 'below' : null
    if (!side) continue
    const px = projectX(projection, x[row])
    if (!(px - last[side] >= ARROW_APART)) continue
    last[side] = px
    marks.push({ px, kind: side })
  }
  return marks
}
