/** Draws the lines of edges with arrows and labels, batched by style. Called by paint.ts. */
import type { DrawnEdge, DrawnPort } from '../scene/drawing'
import { shortType } from '../scene/compose'
import { fontOf, textWidth } from '../scene/measure'
import { DETAIL, type Look, type Pen } from './look'
import { drawMark, markOf } from './marks'

const ARROW = { long: 6.5, wide: 4 } as const
const DASH: Record<DrawnEdge['kind'], readonly number[]> = { data: [], control: [4, 3], monad: [1.5, 3] }
/** In a comparison of two graphs, removed lines have gaps. */
const GONE: readonly number[] = [8, 5]

const dashOf = ({ kind, status }: DrawnEdge): readonly number[] => (status === 'removed' ? GONE : DASH[kind])

/** Radius of the corners of lines between two columns. */
const CORNER = 10

/**
 * Traces the line of an edge: curves with vertical ends if it moves sideways, else straight down; to another column
 * straight lines with round corners.
 */
function trace(pen: Pen, edge: DrawnEdge, zoom: number): void {
  const { points, from, to, dx, dy } = edge
  let [x, y] = [points[2 * from] + dx, points[2 * from + 1] + dy]
  const shorten = edge.arrow && zoom >= DETAIL.arrows ? ARROW.long - 1 : 0
  pen.moveTo(x, y)
  for (let at = from + 1; at < to; at++) {
    const nextX = points[2 * at] + dx
    let nextY = points[2 * at + 1] + dy
    if (at === to - 1) nextY -= Math.sign(nextY - y) * Math.min(shorten, Math.abs(nextY - y))
    const isAcross = nextY === y
    const turns =
      at + 1 < to &&
      zoom >= DETAIL.curves &&
      (isAcross || nextX === x) &&
      (points[2 * at + 3] + dy === nextY) !== isAcross
    if (turns) {
      const [afterX, afterY] = [points[2 * at + 2] + dx, points[2 * at + 3] + dy]
      const reach = Math.min(
        CORNER,
        (Math.abs(nextX - x) + Math.abs(nextY - y)) / 2,
        (Math.abs(afterX - nextX) + Math.abs(afterY - nextY)) / 2,
      )
      const leave = isAcross
        ? { x: nextX, y: nextY + Math.sign(afterY - nextY) * reach }
        : { x: nextX + Math.sign(afterX - nextX) * reach, y: nextY }
      pen.lineTo(nextX - Math.sign(nextX - x) * reach, nextY - Math.sign(nextY - y) * reach)
      pen.bezierCurveTo(nextX, nextY, nextX, nextY, leave.x, leave.y)
    } else if (nextX === x || isAcross || zoom < DETAIL.curves) pen.lineTo(nextX, nextY)
    else pen.bezierCurveTo(x, (y + nextY) / 2, nextX, (y + nextY) / 2, nextX, nextY)
    x = nextX
    y = nextY
  }
}

function traceArrow(pen: Pen, { points, to, dx, dy, width }: DrawnEdge): void {
  const [x, y, before] = [points[2 * to - 2] + dx, points[2 * to - 1] + dy, points[2 * to - 3] + dy]
  const back = before > y ? ARROW.long : -ARROW.long
  const wide = ARROW.wide + Math.max(0, width - 2) * 0.4
  pen.moveTo(x - wide, y + back)
  pen.lineTo(x, y)
  pen.lineTo(x + wide, y + back)
  pen.closePath()
}

/** Whether a part of the line is visible, by the bounding box of its ends, which lines hardly leave. */
function isLineSeen({ points, from, to, dx, dy }: DrawnEdge, { window }: Look): boolean {
  let [left, right] = [Infinity, -Infinity]
  const [top, bottom] = [
    Math.min(points[2 * from + 1], points[2 * to - 1]) + dy,
    Math.max(points[2 * from + 1], points[2 * to - 1]) + dy,
  ]
  if (bottom < window.y || top > window.y + window.height) return false
  for (let at = from; at < to; at++) {
    left = Math.min(left, points[2 * at])
    right = Math.max(right, points[2 * at])
  }
  return right + dx >= window.x && left + dx <= window.x + window.width
}

/** Whether an edge leads between boxes that are highlighted. */
const isHighlighted = ({ source, target }: DrawnEdge, { highlight }: Look): boolean =>
  highlight !== null && highlight.has(source) && highlight.has(target)

interface Batch {
  colour: string
  alpha: number
  width: number
  dash: readonly number[]
  edges: DrawnEdge[]
}

/** Groups lines of the same style into batches, by a key that also gives the order of drawing. */
function batchesOf(edges: readonly DrawnEdge[], look: Look): Map<string, Batch> {
  const batches = new Map<string, Batch>()
  for (const edge of edges) {
    if (!isLineSeen(edge, look)) continue
    const out = isHighlighted(edge, look)
    const width = Math.max(Math.round(edge.width * 2) / 2, 0.7 / look.zoom)
    const alpha = Math.round((edge.alpha ?? 1) * (look.highlight && !out ? 0.3 : 1) * 20) / 20
    const mark = markOf(edge)
    const key = `${out ? 1 : 0}|${alpha}|${width}|${edge.kind}|${edge.status ?? ''}`
    const batch = batches.get(key)
    if (batch) batch.edges.push(edge)
    else {
      const colour = look.ink.colour(out ? 'var(--accent)' : mark ? mark.ink : 'var(--control)')
      batches.set(key, { colour, alpha, width: out || mark ? width + 0.5 : width, dash: dashOf(edge), edges: [edge] })
    }
  }
  return batches
}

export function drawLines(pen: Pen, edges: readonly DrawnEdge[], look: Look): void {
  if (look.zoom < DETAIL.edges) return
  const sorted = [...batchesOf(edges, look)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, batch] of sorted) drawBatch(pen, batch, look.zoom)
  pen.globalAlpha = 1
  pen.setLineDash([])
  drawLabels(pen, edges, look)
  if (look.zoom >= DETAIL.notes) for (const edge of edges) drawSign(pen, edge, look)
}

/** Draws the lines of the selected box and of the box under the pointer again, highlighted. */
export function drawStanding(pen: Pen, edges: readonly DrawnEdge[], look: Look): void {
  if (look.zoom < DETAIL.edges || (look.selection === null && look.hoverEdge < 0)) return
  const colour = look.ink.colour('var(--accent)')
  edges.forEach((edge, index) => {
    const out =
      index === look.hoverEdge ||
      (look.selection !== null && (edge.source === look.selection || edge.target === look.selection))
    if (!out || !isLineSeen(edge, look)) return
    drawBatch(
      pen,
      {
        colour,
        alpha: edge.alpha ?? 1,
        width: Math.max(edge.width, 0.7 / look.zoom) + 0.5,
        dash: dashOf(edge),
        edges: [edge],
      },
      look.zoom,
    )
  })
  pen.globalAlpha = 1
  pen.setLineDash([])
}

/** Writes the result of a comparison in the middle of a line. */
function drawSign(pen: Pen, edge: DrawnEdge, look: Look): void {
  const mark = markOf(edge)
  if (!mark || !isLineSeen(edge, look)) return
  const { points, from, to, dx, dy } = edge
  const middle = from + Math.max(0, Math.floor((to - from - 2) / 2))
  pen.globalAlpha = edge.alpha ?? 1
  drawMark(
    pen,
    mark,
    (points[2 * middle] + points[2 * middle + 2]) / 2 + dx,
    (points[2 * middle + 1] + points[2 * middle + 3]) / 2 + dy,
    look,
  )
  pen.globalAlpha = 1
}

function drawBatch(pen: Pen, { colour, alpha, width, dash, edges }: Batch, zoom: number): void {
  pen.globalAlpha = alpha
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.setLineDash(zoom >= DETAIL.curves ? [...dash] : [])
  pen.beginPath()
  for (const edge of edges) trace(pen, edge, zoom)
  pen.stroke()
  if (zoom < DETAIL.arrows) return
  pen.fillStyle = colour
  pen.beginPath()
  for (const edge of edges) if (edge.arrow) traceArrow(pen, edge)
  pen.fill()
}

/** Writes shapes if there is space beside the line. */
function drawLabels(pen: Pen, edges: readonly DrawnEdge[], look: Look): void {
  if (look.zoom < DETAIL.labels) return
  pen.font = fontOf.mono()
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  pen.fillStyle = look.ink.colour('var(--text-2)')
  for (const edge of edges) {
    if (!edge.label || !edge.labelAt || !isLineSeen(edge, look)) continue
    pen.globalAlpha = edge.alpha ?? 1
    pen.fillText(shortType(edge.label), edge.labelAt.x + (markOf(edge) ? 6 : 0), edge.labelAt.y)
  }
  pen.globalAlpha = 1
}

/** The label of the edge under the pointer, above everything, at a readable size. */
export function drawHoverLabel(pen: Pen, edge: DrawnEdge, look: Look): void {
  const scale = Math.max(1, 1 / look.zoom)
  const text = edge.label || ''
  if (!text) return
  const middle = edge.from + Math.floor((edge.to - edge.from - 1) / 2)
  const x = (edge.points[2 * middle] + edge.points[2 * middle + 2]) / 2 + edge.dx
  const y = (edge.points[2 * middle + 1] + edge.points[2 * middle + 3]) / 2 + edge.dy
  const [wide, high] = [(textWidth(text, fontOf.mono()) + 12) * scale, 20 * scale]
  pen.beginPath()
  pen.roundRect(x + 8 * scale, y - high / 2, wide, high, 4 * scale)
  pen.fillStyle = look.ink.colour('var(--raised)')
  pen.fill()
  pen.strokeStyle = look.ink.colour('var(--line-strong)')
  pen.lineWidth = scale
  pen.stroke()
  pen.font = fontOf.mono().replace('12px', `${12 * scale}px`)
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  pen.fillStyle = look.ink.colour('var(--text)')
  pen.fillText(text, x + 14 * scale, y)
}

export function drawPorts(pen: Pen, ports: readonly DrawnPort[], look: Look): void {
  if (!ports.length || look.zoom < DETAIL.arrows) return
  pen.fillStyle = look.ink.colour('var(--control)')
  pen.beginPath()
  for (const { x, y } of ports) {
    pen.moveTo(x + 3.5, y)
    pen.arc(x, y, 3.5, 0, 2 * Math.PI)
  }
  pen.fill()
}
