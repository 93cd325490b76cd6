/** Draws curves and marks on a canvas. All sizes are given in CSS pixels and multiplied by the screen's ratio. */
import type { Curve } from '../curves/curve'
import type { MomentMark } from './moments'
import type { PlotSeries } from '../curves/parts'
import type { Range } from '../scales/range'
import { linkPath, project, projectX, tracePath, type Mark, type Point, type Projection } from './strokes'
import type { Ink } from './theme'

export interface Pen {
  colour: string
  dash: readonly number[]
  rawAlpha: number
  ratio: number
  /** Width in CSS pixels. */
  width: number
  /** Width of the curve itself. */
  alpha: number
  /** Number of points of all curves that are drawn together. */
  together: number
}

/** The inside of a chart on a canvas. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface Rows {
  from: number
  to: number
}

const LINE = 1.6
/**
 * Without a GPU, browsers draw lines of one pixel many times faster than wider ones (twenty curves of 600 noisy points
 * in 4 ms instead of 80). Three of them at this distance from the middle are as wide as `LINE` in all directions.
 */
const HAIRS: readonly (readonly [number, number])[] = [
  [0, -0.35],
  [0.3, 0.2],
  [-0.3, 0.2],
]
/** Worth it from this many points per chart: twenty curves of 60 points take 2 ms instead of 5. */
const MANY_POINTS = 150
const OLD_LINE = 1
const STRONG_LINE = 3
const OLD_DASH = [4, 2]

/**
 * The style of a line. Superseded lines are thin, faded and, if their run has no dash of its own, dashed.
 * @param together number of points of all curves of the chart
 */
export function penOf(
  spec: Pick<PlotSeries, 'colour' | 'dash' | 'restart' | 'weight'>,
  ink: Ink,
  ratio: number,
  together: number,
): Pen {
  const old = spec.restart !== null
  return {
    together,
    colour: ink.colour(spec.colour),
    dash: old && !spec.dash.length ? OLD_DASH : spec.dash,
    rawAlpha: ink.rawAlpha,
    ratio,
    width: old || spec.weight === 'faint' ? OLD_LINE : spec.weight === 'strong' ? STRONG_LINE : LINE,
    alpha: old ? ink.oldAlpha : 1,
  }
}

function stroke(
  context: CanvasRenderingContext2D,
  curve: Curve,
  y: Float64Array,
  rows: Rows,
  projection: Projection,
): void {
  context.beginPath()
  tracePath(context, curve.x, y, rows.from, rows.to, projection)
  context.stroke()
}

/** Draws the measured values, pale, behind the smoothed curves of all runs. */
export function drawRaw(
  context: CanvasRenderingContext2D,
  curve: Curve,
  rows: Rows,
  projection: Projection,
  pen: Pen,
): void {
  const pixels = (projectX(projection, curve.x[rows.to - 1]) - projectX(projection, curve.x[rows.from])) / pen.ratio
  // Several points per pixel make a solid band, so half the opacity looks as strong as a line.
  context.globalAlpha = rows.to - rows.from > pixels ? pen.rawAlpha * 0.6 : pen.rawAlpha
  context.strokeStyle = pen.colour
  context.lineWidth = pen.ratio
  context.lineJoin = context.lineCap = 'round'
  stroke(context, curve, curve.y, rows, projection)
  context.globalAlpha = 1
}

/**
 * Draws the curve itself: smoothed, or as measured without smoothing.
 * @param link the points that connect it with its predecessor
 */
export function drawCurve(
  context: CanvasRenderingContext2D,
  curve: Curve,
  rows: Rows,
  projection: Projection,
  pen: Pen,
  link: readonly [Point, Point] | null,
): void {
  context.globalAlpha = pen.alpha
  context.strokeStyle = pen.colour
  context.lineWidth = pen.width * pen.ratio
  context.lineJoin = 'round'
  // Round ends would close the gaps of a dash.
  context.lineCap = pen.dash.length ? 'butt' : 'round'
  context.setLineDash(pen.dash.map((length) => length * pen.ratio))
  if (isHairy(context, pen)) {
    strokeHairs(context, curve, rows, projection, link)
  } else {
    context.beginPath()
    if (link) linkPath(context, link, projection)
    tracePath(context, curve.x, curve.smooth, rows.from, rows.to, projection)
    context.stroke()
  }
  context.setLineDash([])
  context.globalAlpha = 1
}

/** On the screen only: exported curves stay one line. */
function isHairy(context: CanvasRenderingContext2D, { width, alpha, ratio, together }: Pen): boolean {
  return width === LINE && alpha === 1 && ratio === 1 && together >= MANY_POINTS && 'canvas' in context
}

function strokeHairs(
  context: CanvasRenderingContext2D,
  curve: Curve,
  rows: Rows,
  projection: Projection,
  link: readonly [Point, Point] | null,
): void {
  const path = new Path2D()
  if (link) linkPath(path, link, projection)
  tracePath(path, curve.x, curve.smooth, rows.from, rows.to, projection)
  context.lineWidth = 1
  for (const [right, down] of HAIRS) {
    context.translate(right, down)
    context.stroke(path)
    context.translate(-right, -down)
  }
}

/**
 * Draws a tick on the x axis for a restart of a run; for a changed setting, a line over the whole height and a
 * diamond.
 */
export function drawMoment(
  context: CanvasRenderingContext2D,
  px: number,
  box: { top: number; height: number },
  { moments }: Pick<MomentMark, 'moments'>,
  colour: string,
  ratio: number,
): void {
  const bottom = box.top + box.height
  context.fillStyle = colour
  if (moments.some(({ change }) => change)) drawChange(context, px, box.top, bottom, colour, ratio)
  if (moments.every(({ change }) => change)) return
  context.fillRect(Math.round(px - ratio / 2), bottom - 9 * ratio, Math.max(1, Math.round(1.5 * ratio)), 9 * ratio)
}

function drawChange(
  context: CanvasRenderingContext2D,
  px: number,
  top: number,
  bottom: number,
  colour: string,
  ratio: number,
): void {
  const size = 4.5 * ratio
  const middle = bottom - size - ratio
  context.save()
  context.strokeStyle = colour
  context.lineWidth = ratio
  context.setLineDash([2 * ratio, 3 * ratio])
  context.beginPath()
  context.moveTo(px, top)
  context.lineTo(px, middle - size)
  context.stroke()
  context.restore()
  context.beginPath()
  context.moveTo(px, middle - size)
  context.lineTo(px + size, middle)
  context.lineTo(px, middle + size)
  context.lineTo(px - size, middle)
  context.closePath()
  context.fill()
}

/**
 * Draws a mark on the edge of the plot: a cross for NaN, triangles for infinities, hollow arrows for values beyond the
 * range.
 */
export function drawMark(
  context: CanvasRenderingContext2D,
  mark: Mark,
  box: { top: number; height: number },
  colour: string,
  ratio: number,
): void {
  const size = 4 * ratio
  const y = mark.kind === 'minus' || mark.kind === 'below' ? box.top + box.height - size : box.top + 1.5 * ratio
  context.strokeStyle = context.fillStyle = colour
  context.lineWidth = 2 * ratio
  context.lineCap = 'round'
  context.beginPath()
  if (mark.kind === 'nan') {
    context.moveTo(mark.px - size, y - size)
    context.lineTo(mark.px + size, y + size)
    context.moveTo(mark.px + size, y - size)
    context.lineTo(mark.px - size, y + size)
    context.stroke()
    return
  }
  const tip = mark.kind === 'plus' || mark.kind === 'above' ? -size : size
  if (mark.kind === 'above' || mark.kind === 'below') {
    context.lineWidth = 1.5 * ratio
    context.moveTo(mark.px - size * 0.8, y - tip / 2)
    context.lineTo(mark.px, y + tip / 2)
    context.lineTo(mark.px + size * 0.8, y - tip / 2)
    context.stroke()
    return
  }
  context.moveTo(mark.px, y + tip)
  context.lineTo(mark.px - size * 1.1, y - tip)
  context.lineTo(mark.px + size * 1.1, y - tip)
  context.closePath()
  context.fill()
}

/** Draws the line from an older segment to the one that left it, with a ring at the point. */
export function drawFork(
  context: CanvasRenderingContext2D,
  link: readonly [Point, Point],
  projection: Projection,
  pen: Pen,
  ground: string,
): void {
  const [px, py] = [projectX(projection, link[0].x), project(projection, link[0].y)]
  if (!Number.isFinite(px + py)) return
  context.strokeStyle = pen.colour
  context.lineWidth = 1.2 * pen.ratio
  context.lineCap = 'butt'
  context.setLineDash([2 * pen.ratio, 2 * pen.ratio])
  context.beginPath()
  linkPath(context, link, projection)
  context.stroke()
  context.setLineDash([])
  context.beginPath()
  context.arc(px, py, 3 * pen.ratio, 0, 2 * Math.PI)
  context.fillStyle = ground
  context.lineWidth = 1.5 * pen.ratio
  context.fill()
  context.stroke()
}

const RING = 3.5

/** Draws the only point of a curve as a ring, with its value beside it unless `words` is empty. */
export function drawSingle(
  context: CanvasRenderingContext2D,
  { px, py }: { px: number; py: number },
  words: string,
  box: Box,
  pen: Pen,
  ink: Ink,
): void {
  context.beginPath()
  context.arc(px, py, (RING - 0.75) * pen.ratio, 0, 2 * Math.PI)
  context.fillStyle = ink.colour('var(--panel)')
  context.strokeStyle = pen.colour
  context.lineWidth = 1.5 * pen.ratio
  context.setLineDash([])
  context.fill()
  context.stroke()
  if (!words) return
  const atRight = px > box.left + box.width * 0.75
  context.font = scaledFont(ink.font, pen.ratio)
  context.textAlign = atRight ? 'right' : 'left'
  context.textBaseline = 'middle'
  context.fillStyle = ink.colour('var(--text)')
  context.fillText(words, px + (atRight ? -8 : 8) * pen.ratio, py)
}

/** Draws the interval of values that a rule marks, with its edges. */
export function drawBand(
  context: CanvasRenderingContext2D,
  band: Range,
  box: Box,
  projection: Projection,
  ink: Ink,
  ratio: number,
): void {
  const edge = (value: number, infinite: number): number =>
    Number.isFinite(value) ? Math.min(box.top + box.height, Math.max(box.top, project(projection, value))) : infinite
  const low = edge(band.min, box.top + box.height)
  const high = edge(band.max, box.top)
  context.fillStyle = ink.colour('var(--warn)')
  context.globalAlpha = 0.1
  context.fillRect(box.left, high, box.width, low - high)
  context.globalAlpha = 1
  context.strokeStyle = ink.colour('var(--warn)')
  context.lineWidth = ratio
  context.setLineDash([2 * ratio, 2 * ratio])
  for (const [value, py] of [
    [band.min, low],
    [band.max, high],
  ]) {
    if (!Number.isFinite(value) || py <= box.top || py >= box.top + box.height) continue
    context.beginPath()
    context.moveTo(box.left, py)
    context.lineTo(box.left + box.width, py)
    context.stroke()
  }
  context.setLineDash([])
}

/**
 * Draws the rule's text inside its band at the right, where curves leave most space; above them, with an outline.
 */
export function drawWords(
  context: CanvasRenderingContext2D,
  band: Range,
  words: string,
  box: Box,
  projection: Projection,
  ink: Ink,
  ratio: number,
): void {
  const bottom = box.top + box.height
  const foot = Number.isFinite(band.min) ? project(projection, band.min) : bottom
  const head = Number.isFinite(band.max) ? project(projection, band.max) : box.top
  if (head > bottom || foot < box.top) return
  const up = Number.isFinite(band.min)
  const py = up
    ? Math.min(bottom, Math.max(foot, box.top + 16 * ratio)) - 3 * ratio
    : Math.max(head, box.top) + 3 * ratio
  context.font = scaledFont(ink.font, ratio)
  context.textAlign = 'right'
  context.textBaseline = up ? 'bottom' : 'top'
  context.lineJoin = 'round'
  context.lineWidth = 3 * ratio
  context.strokeStyle = ink.colour('var(--panel)')
  context.strokeText(words, box.left + box.width - 5 * ratio, py)
  context.fillStyle = ink.colour('var(--warn)')
  context.fillText(words, box.left + box.width - 5 * ratio, py)
}

/** Draws the titles of the axes beside their upper ends, with an outline above curves. */
export function drawAxisNames(
  context: CanvasRenderingContext2D,
  names: { left: string; right: string },
  box: Box,
  ink: Ink,
  ratio: number,
): void {
  context.font = scaledFont(ink.font, ratio)
  context.textBaseline = 'top'
  context.lineWidth = 3 * ratio
  context.lineJoin = 'round'
  context.strokeStyle = ink.colour('var(--panel)')
  context.fillStyle = ink.colour('var(--text-2)')
  const room = box.width / 2 - 12 * ratio
  const sides = [
    ['left', `← ${names.left}`, box.left + 5 * ratio],
    ['right', `${names.right} →`, box.left + box.width - 5 * ratio],
  ] as const
  for (const [side, text, px] of sides) {
    context.textAlign = side
    context.strokeText(text, px, box.top + 9 * ratio, room)
    context.fillText(text, px, box.top + 9 * ratio, room)
  }
}

/** The same font for a canvas with a higher resolution. */
export function scaledFont(font: string, ratio: number): string {
  return font.replace(/^(\d+)px/, (_, size: string) => `${Number(size) * ratio}px`)
}

/** Draws the measured values that a rule marks: bright, over a broad pale line. */
export function drawMarked(
  context: CanvasRenderingContext2D,
  curve: Curve,
  rows: Rows,
  projection: Projection,
  pen: Pen,
  glow: string,
): void {
  context.lineJoin = context.lineCap = 'round'
  const pixels = (projectX(projection, curve.x[rows.to - 1]) - projectX(projection, curve.x[rows.from])) / pen.ratio
  // If nearly everything is marked, the band is enough.
  const dense = rows.to - rows.from > 2 * pixels
  if (!dense) {
    context.strokeStyle = glow
    context.globalAlpha = 0.35
    context.lineWidth = 5 * pen.ratio
    stroke(context, curve, curve.y, rows, projection)
  }
  context.strokeStyle = pen.colour
  context.globalAlpha = dense ? 0.5 : 1
  context.lineWidth = LINE * pen.ratio
  stroke(context, curve, curve.y, rows, projection)
}
