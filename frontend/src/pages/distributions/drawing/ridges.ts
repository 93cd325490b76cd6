/** Curves of values, one per row of steps: one behind another (ridge, offset) or on a common base (overlay). */
import { tickText } from '../../../charts/scales/numbers'
import { formatInteger } from '../../../components/formatting/numbers'
import { drawBottom, drawLeft, drawSigns, type Pen } from './axes'
import { clamp, FOOT, SIDE, type Drawer, type Look } from './drawer'
import { along, valueAt } from './scale'
import type { Box, Scene } from './scene'

/** The width of the lane at the side, which fits all three signs. */
const LANE = 36
const HEAD = 20
const SPACE = 9

const middle = (scene: Pick<Scene, 'interval' | 'edges'>, cell: number): number =>
  along(scene.interval, scene.edges[cell], 1) / 2 + along(scene.interval, scene.edges[cell + 1], 1) / 2

function cellOf(scene: Scene, value: number): number {
  const cells = scene.edges.length - 1
  return clamp(Math.floor(along(scene.interval, value, cells)), 0, cells - 1)
}

/** The outline of heights, from the low end of a base to its high end. */
export function curve(
  pen: Pen,
  scene: Pick<Scene, 'interval' | 'edges' | 'peak'>,
  heights: Float64Array,
  left: number,
  width: number,
  base: number,
  room: number,
): void {
  pen.beginPath()
  pen.moveTo(left, base)
  for (let cell = 0; cell < heights.length; cell++)
    pen.lineTo(left + middle(scene, cell) * width, base - (heights[cell] / scene.peak) * room)
  pen.lineTo(left + width, base)
}

/** Elements at zero that would flatten the curves: a line as high as their share, with a head. */
function drawSpike(
  pen: Pen,
  scene: Scene,
  share: number,
  left: number,
  width: number,
  base: number,
  room: number,
): void {
  if (!(share > 0)) return
  const x = Math.round(left + along(scene.interval, 0, width))
  const tall = Math.max(3, share * room)
  pen.fillRect(x, base - tall, 1.5, tall)
  pen.fillRect(x - 2, base - tall - 2, 5, 3)
}

/** The heights and the share at zero that are drawn for a row: at the cursor those of its own step. */
export function drawn(scene: Scene, row: number, cursor: number): { heights: Float64Array; spike: number } {
  const { exact, rows } = scene
  if (exact && row === cursor && exact.row === row) return exact
  return { heights: scene.heights[row], spike: rows[row].finite ? rows[row].spike / rows[row].finite : 0 }
}

/** The values that half precision cannot represent, behind the curves: close to zero, and beyond its largest number. */
function drawGuide(pen: Pen, scene: Scene, box: Box, { ink, guide }: Look): void {
  if (!guide) return
  const { smallest, largest } = guide.limits
  const { low, high } = scene.interval
  const parts: [number, number, string][] = [
    [-smallest, smallest, guide.under],
    [largest, Infinity, guide.over],
    [-Infinity, -largest, guide.over],
  ]
  for (const [from, to, word] of parts) {
    const [start, end] = [Math.max(from, low), Math.min(to, high)]
    if (start >= end) continue
    const [x, right] = [along(scene.interval, start, box.width), along(scene.interval, end, box.width)]
    if (right - x < 3) continue
    pen.globalAlpha = 0.55
    pen.fillStyle = ink.colour('var(--warn-bg)')
    pen.fillRect(box.left + x, box.top, right - x, box.height)
    pen.globalAlpha = 1
    pen.fillStyle = ink.colour('var(--warn)')
    pen.textAlign = 'center'
    pen.textBaseline = 'bottom'
    const half = pen.measureText(word).width / 2
    if (2 * half < box.width)
      pen.fillText(word, clamp(box.left + (x + right) / 2, box.left + half, box.left + box.width - half), box.top - 3)
  }
}

// --- ridge and offset: the newest curve in front
/** The height of the highest curve in pixels. */
const roomOf = (scene: Scene, box: Box): number => (scene.rows.length > 1 ? box.height * 0.38 : box.height)

/** The first base, low enough that every curve fits into the box. */
function topOf(scene: Scene, box: Box): number {
  const rows = scene.rows.length - 1
  if (rows < 1) return box.height
  const room = roomOf(scene, box)
  return scene.peaks.slice(0, rows).reduce((most, peak, row) => {
    const part = row / rows
    return Math.max(most, ((peak / scene.peak) * room - part * box.height) / (1 - part))
  }, 6)
}

function baseOf(scene: Scene, box: Box, row: number): number {
  const rows = scene.rows.length - 1
  const top = topOf(scene, box)
  return box.top + top + (rows > 0 ? (row / rows) * (box.height - top) : 0)
}

/** The interval between drawn rows, which keeps curves apart; the newest is always drawn. */
const everyOf = (scene: Scene, box: Box): number =>
  Math.max(1, Math.ceil((scene.rows.length * SPACE) / Math.max(1, box.height)))

function drawSteps(pen: Pen, scene: Scene, box: Box, look: Look, at: (row: number) => number): void {
  const rows = scene.rows.length
  const taken: number[] = []
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  for (const row of [
    look.cursor,
    0,
    rows - 1,
    ...Array.from({ length: 5 }, (_, k) => Math.round(((k + 1) * rows) / 6)),
  ]) {
    if (row < 0 || row >= rows) continue
    const y = baseOf(scene, box, row)
    if (taken.some((other) => Math.abs(other - y) < 16)) continue
    taken.push(y)
    const here = row === look.cursor
    pen.fillStyle = look.ink.colour(here ? 'var(--text)' : 'var(--text-2)')
    pen.font = here ? `600 ${look.ink.font}` : look.ink.font
    pen.fillText(
      formatInteger(here && look.step !== null ? look.step : scene.rows[row].last, look.locale),
      at(row) + 8,
      y,
    )
  }
  pen.font = look.ink.font
}

/** The places of the curves of a picture, one behind another. */
interface Rows {
  scene: Scene
  box: Box
  /** The width of a curve. */
  width: number
  /** The left end of a row's curve. */
  leftOf: (row: number) => number
}

function drawRow(pen: Pen, { scene, box, width, leftOf }: Rows, row: number, cursor: number, fill: () => void): void {
  const { heights, spike } = drawn(scene, row, cursor)
  const [left, base, room] = [leftOf(row), baseOf(scene, box, row), roomOf(scene, box)]
  curve(pen, scene, heights, left, width, base, room)
  fill()
  drawSpike(pen, scene, spike, left, width, base, room)
}

function drawRows(pen: Pen, rows: Rows, { ink }: Look, colour: string): void {
  const { scene, box } = rows
  const last = scene.rows.length - 1
  const every = everyOf(scene, box)
  for (let row = last % every; row <= last; row += every)
    drawRow(pen, rows, row, -1, () => {
      pen.globalAlpha = 0.82
      pen.fillStyle = ink.colour('var(--panel)')
      pen.fill()
      pen.globalAlpha = 0.1
      pen.fillStyle = pen.strokeStyle = colour
      pen.fill()
      pen.globalAlpha = 0.35 + 0.4 * (row / scene.rows.length)
      pen.lineWidth = 1
      pen.stroke()
    })
}

/** Draws the row under the cursor on top, so that newer curves do not cut it. */
function drawChosenRow(pen: Pen, rows: Rows, row: number, colour: string): void {
  drawRow(pen, rows, row, row, () => {
    pen.fillStyle = pen.strokeStyle = colour
    pen.globalAlpha = 0.3
    pen.fill()
    pen.globalAlpha = 1
    pen.lineWidth = 2
    pen.stroke()
  })
}

/** Writes the steps beside the curves, and marks those with values that are not finite. */
function drawRowLabels(pen: Pen, { scene, box }: Rows, look: Look): void {
  const right = box.left + box.width
  const middle = right + SIDE + LANE / 2 - 6
  if (scene.odd.length) {
    pen.textAlign = 'center'
    pen.textBaseline = 'bottom'
    pen.fillStyle = look.ink.colour('var(--err)')
    pen.fillText(look.words.odd, middle, box.top - 3)
  }
  for (const row of scene.odd) drawSigns(pen, look.ink, scene.rows[row], middle, baseOf(scene, box, row))
  pen.textAlign = 'left'
  pen.textBaseline = 'bottom'
  pen.fillStyle = look.ink.colour('var(--text-2)')
  pen.fillText(look.words.step, right + 8, box.top - 3)
  drawSteps(pen, scene, box, look, () => right)
}

/** @param lean the shift of the oldest curve to the right, as a part of the width */
function behindOneAnother(lean: number): Drawer {
  const shift = (scene: Scene, box: Box, row: number): number =>
    scene.rows.length > 1 ? (1 - row / (scene.rows.length - 1)) * lean * box.width : 0
  const wide = (box: Box): number => box.width * (1 - lean)
  return {
    box(scene, width, height, bare) {
      if (bare) return { left: 6, top: 4, width: Math.max(1, width - 12), height: Math.max(1, height - 8) }
      const side = SIDE + (scene.odd.length ? LANE : 0)
      return { left: 14, top: HEAD, width: Math.max(1, width - 14 - side), height: Math.max(1, height - HEAD - FOOT) }
    },
    draw(pen, scene, box, look) {
      const front = { ...box, width: wide(box) }
      if (!look.bare) {
        drawGuide(pen, scene, lean ? front : box, look)
        drawBottom(pen, look.ink, front, scene.interval, false)
      }
      const colour = look.ink.colour(look.colour)
      const rows = { scene, box, width: wide(box), leftOf: (row: number) => box.left + shift(scene, box, row) }
      drawRows(pen, rows, look, colour)
      if (look.cursor >= 0) drawChosenRow(pen, rows, look.cursor, colour)
      pen.globalAlpha = 1
      if (!look.bare) drawRowLabels(pen, rows, look)
    },
    at(scene, box, x, y) {
      const rows = scene.rows.length - 1
      const top = topOf(scene, box)
      const every = everyOf(scene, box)
      const near = rows > 0 ? ((y - box.top - top) / (box.height - top)) * rows : 0
      const row = clamp(rows - Math.max(0, Math.round((rows - near) / every - 0.3)) * every, rows % every, rows)
      return { row, value: valueAt(scene.interval, (x - box.left - shift(scene, box, row)) / wide(box)) }
    },
    point(scene, box, { row, value }) {
      const height = (scene.heights[row][cellOf(scene, value)] / scene.peak) * roomOf(scene, box)
      return {
        x: box.left + shift(scene, box, row) + along(scene.interval, value, wide(box)),
        y: baseOf(scene, box, row) - height,
      }
    },
  }
}

export const ridge = behindOneAnother(0)
export const offset = behindOneAnother(0.3)

// --- overlay: all curves on one base
export const overlay: Drawer = {
  box(scene, width, height, bare) {
    if (bare) return { left: 6, top: 4, width: Math.max(1, width - 12), height: Math.max(1, height - 8) }
    return {
      left: SIDE,
      top: HEAD,
      width: Math.max(1, width - SIDE - 12 - (scene.odd.length ? LANE : 0)),
      height: Math.max(1, height - HEAD - FOOT),
    }
  },
  draw(pen, scene, box, look) {
    if (!look.bare) {
      drawGuide(pen, scene, box, look)
      drawBottom(pen, look.ink, box, scene.interval, false)
      // The logarithm is of the number plus one, so that no cell with elements is at 0.
      const write = look.height === 'log' ? (value: number): string => tickText(10 ** value - 1, 2) : undefined
      drawLeft(pen, look.ink, box, { low: 0, high: scene.peak }, write)
    }
    const base = box.top + box.height
    pen.fillStyle = pen.strokeStyle = look.ink.colour(look.colour)
    const rows = scene.rows.map((_, row) => row).filter((row) => row !== look.cursor)
    for (const row of look.cursor < 0 ? rows : [...rows, look.cursor]) {
      const here = row === look.cursor
      const { heights, spike } = drawn(scene, row, look.cursor)
      curve(pen, scene, heights, box.left, box.width, base, box.height)
      pen.globalAlpha = here ? 1 : 0.12 + 0.4 * (row / scene.rows.length)
      pen.lineWidth = here ? 2 : 1
      pen.stroke()
      if (here) drawSpike(pen, scene, spike, box.left, box.width, base, box.height)
    }
    pen.globalAlpha = 1
    const here = scene.rows[look.cursor]
    if (here && !look.bare) drawSigns(pen, look.ink, here, box.left + box.width + LANE / 2, box.top + 8)
  },
  at(scene, box, x, y) {
    const value = valueAt(scene.interval, (x - box.left) / box.width)
    const wanted = ((box.top + box.height - y) / box.height) * scene.peak
    const cell = cellOf(scene, value)
    const away = (row: number): number => Math.abs(scene.heights[row][cell] - wanted)
    return { row: scene.heights.reduce((best, _, row) => (away(row) < away(best) ? row : best), 0), value }
  },
  point(scene, box, { row, value }) {
    const height = (scene.heights[row][cellOf(scene, value)] / scene.peak) * box.height
    return { x: box.left + along(scene.interval, value, box.width), y: box.top + box.height - height }
  },
}
