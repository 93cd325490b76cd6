/**
 * The marks of boxes and lines in a comparison of two graphs: a sign and a colour. Called by boxes.ts and
 * lines.ts.
 */
import type { InsideBox } from '../inside'
import { fontOf } from '../scene/measure'
import type { Look, Pen } from './look'

export interface Mark {
  sign: string
  ink: string
  fill: string
}

const MARKS: Record<Exclude<NonNullable<InsideBox['status']>, 'same'>, Mark> = {
  added: { sign: '+', ink: 'var(--ok)', fill: 'var(--ok-bg)' },
  removed: { sign: '−', ink: 'var(--err)', fill: 'var(--err-bg)' },
  changed: { sign: '~', ink: 'var(--warn)', fill: 'var(--warn-bg)' },
}
const RADIUS = 7

/** The mark of a difference; null if there is none. */
export const markOf = ({ status }: { status?: InsideBox['status'] }): Mark | null =>
  status && status !== 'same' ? MARKS[status] : null

/** Draws a mark around a position. */
export function drawMark(pen: Pen, { sign, ink, fill }: Mark, x: number, y: number, look: Look): void {
  pen.beginPath()
  pen.arc(x, y, RADIUS, 0, 2 * Math.PI)
  pen.fillStyle = look.ink.colour(fill)
  pen.fill()
  pen.strokeStyle = look.ink.colour(ink)
  pen.lineWidth = 1
  pen.stroke()
  pen.font = fontOf.title()
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillStyle = look.ink.colour(ink)
  pen.fillText(sign, x, y + 0.5)
}
