/** Axes and marks that all views share. Called by ridges.ts and timed.ts. */
import type { Ink } from '../../../charts/drawing/theme'
import type { OddCounts } from './histogram'
import { along, ticksOf, type Interval } from './scale'
import type { Box } from './scene'

/** The part of a canvas' context that the views use; svgPen.ts implements it for SVG. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'closePath'
  | 'fill'
  | 'stroke'
  | 'fillRect'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'fillStyle'
  | 'strokeStyle'
  | 'globalAlpha'
  | 'lineWidth'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
>

const TICK = 74
const LINE = 34

/** Lines and texts of the axis below a box. */
export function drawBottom(pen: Pen, ink: Ink, box: Box, interval: Interval, whole: boolean): void {
  pen.textBaseline = 'top'
  pen.textAlign = 'center'
  let free = -Infinity
  for (const { at, text } of ticksOf(interval, Math.round(box.width / TICK), whole)) {
    const x = box.left + along(interval, at, box.width)
    pen.fillStyle = ink.colour('var(--grid)')
    pen.fillRect(Math.round(x), box.top, 1, box.height)
    pen.fillStyle = ink.colour('var(--text-2)')
    const half = pen.measureText(text).width / 2
    if (x + half > box.left + box.width + 14 || x - half < free) continue
    pen.fillText(text, x, box.top + box.height + 7)
    free = x + half + 6
  }
}

/** Lines and texts of the axis left of a box. */
export function drawLeft(pen: Pen, ink: Ink, box: Box, interval: Interval, write?: (value: number) => string): void {
  pen.textBaseline = 'middle'
  pen.textAlign = 'right'
  for (const { at, text } of ticksOf(interval, Math.round(box.height / LINE))) {
    const y = box.top + box.height - along(interval, at, box.height)
    pen.fillStyle = ink.colour('var(--grid)')
    pen.fillRect(box.left, Math.round(y), box.width, 1)
    pen.fillStyle = ink.colour('var(--text-2)')
    pen.fillText(write ? write(at) : text, box.left - 8, y)
  }
}

/** The signs of values that are not finite: a cross, and triangles up and down; never colour alone. */
export function signsOf({ nan, posInf, negInf }: OddCounts): string {
  return [nan ? '✕' : '', posInf ? '▲' : '', negInf ? '▼' : ''].join('')
}

/** Draws the signs of a row around a place. */
export function drawSigns(pen: Pen, ink: Ink, of: OddCounts, x: number, y: number): void {
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillStyle = ink.colour(of.nan ? 'var(--err)' : 'var(--inf)')
  pen.fillText(signsOf(of), x, y)
}
