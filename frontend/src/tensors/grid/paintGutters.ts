/** Draws the margins of a grid: row and column indices, the power of ten, the cell cursor. */
import type { Ink } from '../../charts/drawing/theme'
import type { Pen } from './paint'
import { cellSize, TEXT_ZOOM, windowOf, type Frame, type View } from './viewport'

/** Height of the column indices at the top, in pixels. */
export const GUTTER_TOP = 28
/** Least size of the cell cursor, in pixels. */
const LEAST_CURSOR = 7

export interface Surroundings {
  ink: Ink
  view: View
  frame: Frame
  /** Width of the row indices at the left, in pixels. */
  gutter: number
  /** The cell under the cursor. */
  row: number
  column: number
  /** The power of ten left out in the texts. */
  power: number
  rowText: (row: number) => string
  columnText: (column: number) => string
  columnCount: number
}

export function paintCursor(pen: Pen, { ink, view, frame, row, column }: Surroundings): void {
  if (!frame.rows || !frame.columns) return
  const each = cellSize(view.zoom, frame)
  const [broad, high] = [Math.max(LEAST_CURSOR, each.wide), Math.max(LEAST_CURSOR, each.high)]
  const left = (column - view.column) * each.wide + (each.wide - broad) / 2
  const top = (row - view.row) * each.high + (each.high - high) / 2
  pen.strokeStyle = ink.colour('var(--panel)')
  pen.lineWidth = 4
  pen.strokeRect(left, top, broad - 1, high - 1)
  pen.strokeStyle = ink.colour('var(--accent)')
  pen.lineWidth = 2
  pen.strokeRect(left, top, broad - 1, high - 1)
}

/** How many rows or columns share one written index: 1, 2, 5, 10, 20, 50 and so on. */
function stride(each: number, room: number): number {
  let step = 1
  for (let at = 0; step * each < room; at++) step = [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3)
  return step
}

function superscript(value: number): string {
  return String(value)
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])
}

/** Draws both gutters of a canvas of this size. */
export function paintGutters(pen: Pen, width: number, height: number, around: Surroundings): void {
  const { ink, gutter, power } = around
  pen.fillStyle = ink.colour('var(--bg)')
  pen.fillRect(0, 0, width, GUTTER_TOP)
  pen.fillRect(0, 0, gutter, height)
  pen.fillStyle = ink.colour('var(--line-strong)')
  pen.fillRect(0, GUTTER_TOP - 1, width, 1)
  pen.fillRect(gutter - 1, 0, 1, height)
  pen.font = ink.font
  pen.textBaseline = 'middle'
  pen.fillStyle = ink.colour('var(--text-2)')
  if (power) {
    pen.textAlign = 'left'
    pen.fillText(`×10${superscript(power)}`, 6, GUTTER_TOP / 2)
  }
  paintColumns(pen, around)
  paintRows(pen, around)
}

function paintColumns(pen: Pen, around: Surroundings): void {
  const { ink, view, frame, gutter, column, columnText, columnCount } = around
  const window = windowOf(view, frame)
  const { wide } = cellSize(view.zoom, frame)
  const texts = view.zoom >= TEXT_ZOOM
  const across = stride(wide, Math.max(1, String(columnCount).length * 8 + 14))
  pen.save()
  pen.beginPath()
  pen.rect(gutter, 0, frame.width, GUTTER_TOP - 1)
  pen.clip()
  pen.textAlign = texts ? 'right' : 'left'
  for (let at = Math.ceil(window.firstColumn / across) * across; at < window.endColumn; at += across) {
    const left = gutter + (at - view.column) * wide
    pen.fillStyle = ink.colour(at === column ? 'var(--accent)' : 'var(--text-2)')
    pen.fillText(columnText(at), texts ? left + wide - 8 : left + 3, GUTTER_TOP / 2)
    if (!texts) pen.fillRect(left, GUTTER_TOP - 5, 1, 4)
  }
  pen.restore()
}

function paintRows(pen: Pen, { ink, view, frame, gutter, row, rowText }: Surroundings): void {
  const window = windowOf(view, frame)
  const { high } = cellSize(view.zoom, frame)
  const texts = view.zoom >= TEXT_ZOOM
  const down = stride(high, 20)
  pen.save()
  pen.beginPath()
  pen.rect(0, GUTTER_TOP, gutter - 1, frame.height)
  pen.clip()
  pen.textAlign = 'right'
  for (let at = Math.ceil(window.firstRow / down) * down; at < window.endRow; at += down) {
    const top = GUTTER_TOP + (at - view.row) * high
    pen.fillStyle = ink.colour(at === row ? 'var(--accent)' : 'var(--text-2)')
    pen.fillText(rowText(at), gutter - 9, texts ? top + high / 2 : top + Math.max(6, high / 2))
    if (!texts) pen.fillRect(gutter - 5, top, 4, 1)
  }
  pen.restore()
}
