/** Views with steps from left to right and values upwards: the heat map and the bands of percentiles. */
import type { Ink } from '../../../charts/drawing/theme'
import { shades } from '../../../design/sequential'
import { drawBottom, drawLeft, drawSigns, type Pen } from './axes'
import { clamp, FOOT, SIDE, type Drawer, type Look } from './drawer'
import { along, valueAt, type Interval } from './scale'
import { rowEdges, valueInterval, type Box, type Scene, type View } from './scene'

const LANE = 18
const SHADES = 64
const COLOURS = shades('viridis', SHADES)

function boxOf(scene: Scene, width: number, height: number, bare: boolean): Box {
  if (bare)
    return {
      left: 0,
      top: scene.odd.length ? 12 : 0,
      width: Math.max(1, width),
      height: Math.max(1, height - (scene.odd.length ? 12 : 0)),
    }
  const top = scene.odd.length ? LANE + 4 : 10
  return { left: SIDE, top, width: Math.max(1, width - SIDE - 14), height: Math.max(1, height - top - FOOT) }
}

export function stepInterval(scene: Scene): Interval {
  const edges = rowEdges(scene)
  return { low: edges[0], high: edges[edges.length - 1] }
}

/** The place of a row: at its only step, or in the middle of its steps. */
const stepOf = (scene: Scene, row: number): number => (scene.rows[row].first + scene.rows[row].last) / 2

function drawLane(pen: Pen, scene: Scene, box: Box, ink: Ink, bare: boolean): void {
  if (!scene.odd.length) return
  const steps = stepInterval(scene)
  if (!bare) {
    pen.fillStyle = ink.colour('var(--sunken)')
    pen.fillRect(box.left, 2, box.width, LANE - 2)
  }
  // Signs closer than they are wide would only blacken the lane: the first of them stands for its neighbours.
  let free = -Infinity
  for (const row of scene.odd) {
    const x = box.left + along(steps, stepOf(scene, row), box.width)
    if (x < free) continue
    drawSigns(pen, ink, scene.rows[row], clamp(x, box.left + 5, box.left + box.width - 5), bare ? 6 : 1 + LANE / 2)
    free = x + 7
  }
}

function drawCursor(pen: Pen, scene: Scene, box: Box, look: Look): void {
  // On a small card only a chosen step is marked: the newest one is its edge.
  if (look.cursor < 0 || (look.bare && look.step === null)) return
  const step = look.step ?? scene.rows[look.cursor].last
  pen.fillStyle = look.ink.colour('var(--cursor)')
  pen.globalAlpha = look.bare ? 0.6 : 1
  const x = clamp(
    Math.round(box.left + along(stepInterval(scene), step, box.width)),
    box.left,
    box.left + box.width - 1,
  )
  pen.fillRect(x, box.top, 1, box.height)
  pen.globalAlpha = 1
}

function timed(view: View, body: (pen: Pen, scene: Scene, box: Box, look: Look) => void): Drawer {
  return {
    box: boxOf,
    draw(pen, scene, box, look) {
      if (!look.bare) {
        drawBottom(pen, look.ink, box, stepInterval(scene), true)
        drawLeft(pen, look.ink, box, valueInterval(scene, view))
      }
      body(pen, scene, box, look)
      drawLane(pen, scene, box, look.ink, look.bare)
      drawCursor(pen, scene, box, look)
    },
    at(scene, box, x, y) {
      const step = valueAt(stepInterval(scene), (x - box.left) / box.width)
      const row = rowEdges(scene).findIndex((edge, at) => at > 0 && step <= edge) - 1
      return {
        row: clamp(row, 0, scene.rows.length - 1),
        value: valueAt(valueInterval(scene, view), (box.top + box.height - y) / box.height),
      }
    },
    point: (scene, box, { row, value }) => ({
      x: box.left + along(stepInterval(scene), stepOf(scene, row), box.width),
      y: box.top + box.height - along(valueInterval(scene, view), value, box.height),
    }),
  }
}

export const heat = timed('heat', (pen, scene, box, { ink, bare }) => {
  if (!bare) {
    pen.fillStyle = ink.colour('var(--sunken)')
    pen.fillRect(box.left, box.top, box.width, box.height)
  }
  const edges = rowEdges(scene)
  const steps = stepInterval(scene)
  const cells = scene.edges.length - 1
  // Down to a hundred thousandth of the peak heights have shades of their own, so that tails are seen beside it.
  const floor = Math.log(Math.max(scene.least, scene.peak / 1e5))
  const span = Math.log(scene.peak) - floor || 1
  scene.heights.forEach((heights, row) => {
    const x = Math.round(box.left + along(steps, edges[row], box.width))
    const end = Math.round(box.left + along(steps, edges[row + 1], box.width))
    for (let cell = 0; cell < cells; cell++) {
      if (heights[cell] <= 0) continue
      const top = Math.round(box.top + box.height * (1 - (cell + 1) / cells))
      const foot = Math.round(box.top + box.height * (1 - cell / cells))
      pen.fillStyle =
        COLOURS[clamp(Math.round(((Math.log(heights[cell]) - floor) / span) * (SHADES - 1)), 0, SHADES - 1)]
      pen.fillRect(x, top, Math.max(1, end - x), Math.max(1, foot - top))
    }
    const { spike, finite } = scene.rows[row]
    if (!(spike > 0)) return
    const y = Math.round(box.top + box.height - along(scene.interval, 0, box.height))
    pen.fillStyle = COLOURS[clamp(Math.round((spike / finite) * (SHADES - 1)), SHADES >> 1, SHADES - 1)]
    pen.fillRect(x, y - 1, Math.max(1, end - x), 2)
  })
})

/** Consecutive rows that have percentiles. */
function unbroken(scene: Scene): number[][] {
  const runs: number[][] = [[]]
  scene.rows.forEach(({ bands }, at) => {
    if (Number.isFinite(bands[2])) runs[runs.length - 1].push(at)
    else if (runs[runs.length - 1].length) runs.push([])
  })
  return runs.filter((rows) => rows.length > 0)
}

export const bandsView = timed('bands', (pen, scene, box, { ink, colour }) => {
  const values = valueInterval(scene, 'bands')
  const steps = stepInterval(scene)
  const edges = rowEdges(scene)
  const y = (row: number, which: number): number =>
    box.top + box.height - along(values, scene.rows[row].bands[which], box.height)
  const x = (step: number): number => box.left + along(steps, step, box.width)
  pen.fillStyle = pen.strokeStyle = ink.colour(colour)
  for (const rows of unbroken(scene)) {
    // Bands extend to the outer edges of their first and last row.
    const places = [
      { row: rows[0], x: x(edges[rows[0]]) },
      ...rows.map((row) => ({ row, x: x(stepOf(scene, row)) })),
      { row: rows[rows.length - 1], x: x(edges[rows[rows.length - 1] + 1]) },
    ]
    for (const [low, high, alpha] of [
      [0, 4, 0.16],
      [1, 3, 0.26],
    ]) {
      pen.globalAlpha = alpha
      pen.beginPath()
      for (const place of places) pen.lineTo(place.x, y(place.row, high))
      for (const place of [...places].reverse()) pen.lineTo(place.x, y(place.row, low))
      pen.fill()
    }
    pen.globalAlpha = 1
    pen.lineWidth = 1.5
    pen.beginPath()
    for (const place of places) pen.lineTo(place.x, y(place.row, 2))
    pen.stroke()
  }
})
