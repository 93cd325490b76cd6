/**
 * Draws the inside of a chart: bands, measured values, superseded segments, curves, values that rules mark, marks at
 * the edges, marks of moments. Called by LinePlot and for exports.
 */
import {
  drawAxisNames,
  drawBand,
  drawCurve,
  drawFork,
  drawMark,
  drawMarked,
  drawMoment,
  drawRaw,
  drawSingle,
  drawWords,
  penOf,
  type Box,
  type Pen,
  type Rows,
} from './brush'
import type { PlotLayer } from './layers'
import type { Line } from '../curves/plotLines'
import { rowsWithin, type Range } from '../scales/range'
import type { MomentMark } from './moments'
import type { Scale } from '../scales/scale'
import { findLeaving, findMarks, project, projectX, type Point, type Projection } from './strokes'
import { tickText } from '../scales/numbers'
import { currentInk, type Ink } from './theme'
import { bandsOf, type Rule } from '../view'

export type { Box } from './brush'

export interface Scene {
  lines: readonly Line[]
  layers: readonly PlotLayer[]
  moments: readonly MomentMark[]
  rules: readonly { rule: Rule; words: string }[]
  /** The range of x in the box. */
  x: Range
  left: SceneAxis
  /** The y axis of lines at the right, if there are any. */
  right: SceneAxis | null
  /** The titles of the axes, if there are two. */
  axisNames: { left: string; right: string } | null
}

/** An axis of y. */
export interface SceneAxis {
  scale: Scale
  /** The range in axis positions. */
  range: Range
  /** Whether values beyond the range are shown by arrows. */
  clipped: boolean
}

/** Maps data to pixels, for the lines of each axis. */
export interface Projections {
  left: Projection
  right: Projection | null
}

interface Stroke {
  line: Line
  axis: SceneAxis
  projection: Projection
  pen: Pen
  rows: Rows
  smoothRows: Rows
}

/**
 * Draws a scene into a box of a canvas.
 * @param ratio pixels of the canvas per CSS pixel
 */
export function drawPicture(
  context: CanvasRenderingContext2D,
  scene: Scene,
  box: Box,
  projections: Projections,
  ratio: number,
): void {
  const ink = currentInk()
  const projection = projections.left
  const smoothRows = scene.lines.map(({ smooth }) => rowsWithin(smooth, scene.x))
  const together = smoothRows.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)
  const strokes = scene.lines.map((line, at): Stroke => ({
    line,
    ...sideOf(line, scene, projections),
    pen: penOf(line.spec, ink, ratio, together),
    rows: rowsWithin(line.curve, scene.x),
    smoothRows: smoothRows[at],
  }))
  context.save()
  clip(context, { ...box, top: box.top - 4 * ratio, height: box.height + 5 * ratio })
  for (const layer of scene.layers) layer.draw(context, projection, ratio)
  for (const { rule } of scene.rules)
    for (const band of bandsOf(rule)) drawBand(context, band, box, projection, ink, ratio)
  for (const { line, pen, rows, projection: own } of strokes) {
    if (line.spec.restart === null && isSmoothed(line)) drawRaw(context, line.curve, rows, own, pen)
  }
  for (const { line, pen, smoothRows, projection: own } of strokes)
    drawCurve(context, line.smooth, smoothRows, own, pen, linkOf(line))
  for (const { line, pen, projection: own } of strokes)
    if (line.fork) drawFork(context, forkOf(line), own, pen, ink.colour('var(--panel)'))
  // uPlot remembers the state that it last set on the canvas, so all changes are undone.
  context.restore()
  drawHits(context, scene, strokes, box, projection, ink)
  context.save()
  for (const { rule, words } of scene.rules) {
    bandsOf(rule).forEach((band, at, all) =>
      drawWords(context, band, partOf(words, at, all.length), box, projection, ink, ratio),
    )
  }
  drawEdges(context, strokes, box, ratio)
  drawSingles(context, strokes, box, ratio, ink)
  if (scene.axisNames) drawAxisNames(context, scene.axisNames, box, ink, ratio)
  context.globalAlpha = 1
  for (const mark of scene.moments)
    drawMoment(context, box.left + mark.px * ratio, box, mark, ink.colour(mark.colour), ratio)
  context.restore()
}

/** The axis on which a line is read. */
function sideOf({ spec }: Line, { left, right }: Scene, projections: Projections): Pick<Stroke, 'axis' | 'projection'> {
  if (spec.side === 'right' && right && projections.right) return { axis: right, projection: projections.right }
  return { axis: left, projection: projections.left }
}

/** Marks at the edges, not clipped, so that each is drawn completely. */
function drawEdges(context: CanvasRenderingContext2D, strokes: readonly Stroke[], box: Box, ratio: number): void {
  for (const {
    line: { curve },
    pen,
    rows,
    projection,
    axis,
  } of strokes) {
    const marks = findMarks(curve.x, curve.y, rows.from, rows.to, projection)
    const leaving = axis.clipped ? findLeaving(curve.x, curve.y, rows.from, rows.to, projection, axis.range) : []
    context.globalAlpha = pen.alpha
    for (const mark of [...leaving, ...marks])
      if (isInside(mark.px, box)) drawMark(context, mark, box, pen.colour, ratio)
  }
}

/** Vertical distance in pixels below which a value beside a ring would cover another. */
const WORDS_APART = 14

/** The curves that have one point. Where several values are close, the first one is written. */
function drawSingles(
  context: CanvasRenderingContext2D,
  strokes: readonly Stroke[],
  box: Box,
  ratio: number,
  ink: Ink,
): void {
  const written: { px: number; py: number }[] = []
  for (const { line, pen, projection } of strokes) {
    const { whole } = line
    if (whole.length !== 1 || line.previous || line.spec.restart !== null) continue
    const spot = { px: projectX(projection, whole.x[0]), py: project(projection, whole.y[0]) }
    const inside = spot.py >= box.top - 1 && spot.py <= box.top + box.height + 1
    if (!isInside(spot.px, box) || !inside) continue
    const free = written.every(
      ({ px, py }) => Math.abs(px - spot.px) > 80 * ratio || Math.abs(py - spot.py) > WORDS_APART * ratio,
    )
    if (free) written.push(spot)
    context.globalAlpha = pen.alpha
    drawSingle(context, spot, free ? tickText(whole.y[0], 4) : '', box, pen, ink)
  }
  context.globalAlpha = 1
}

/** The measured values that a rule marks. Rules apply to the left axis. */
function drawHits(
  context: CanvasRenderingContext2D,
  { rules, left }: Scene,
  strokes: readonly Stroke[],
  box: Box,
  projection: Projection,
  ink: Ink,
): void {
  for (const band of rules.flatMap(({ rule }) => bandsOf(rule))) {
    const top = Number.isFinite(band.max) ? project(projection, band.max) : box.top - 4
    const foot = project(projection, band.min)
    const bottom = Number.isFinite(foot) ? foot : box.top + box.height
    if (!(bottom > top)) continue
    context.save()
    clip(context, box)
    clip(context, { ...box, top, height: bottom - top })
    for (const { line, pen, rows, axis } of strokes)
      if (line.spec.restart === null && axis === left)
        drawMarked(context, line.curve, rows, projection, pen, ink.colour('var(--warn)'))
    context.restore()
  }
}

/** For "< 0 or > 10" each band shows its own part. */
function partOf(words: string, at: number, count: number): string {
  const parts = words.split('|')
  return count === parts.length ? parts[at] : parts.join(' ')
}

function clip(context: CanvasRenderingContext2D, { left, top, width, height }: Box): void {
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
}

function isInside(px: number, { left, width }: Box): boolean {
  return px >= left - 1 && px <= left + width + 1
}

/** Whether a line's curve differs from its measured values. */
function isSmoothed({ smooth, curve }: Line): boolean {
  return smooth !== curve || curve.smooth !== curve.y
}

/** From the end of the predecessor to the start of the line. */
function linkOf({ previous, smoothWhole: next }: Line): [Point, Point] | null {
  const before = previous?.smoothWhole
  if (!before?.length || !next.length) return null
  const last = before.length - 1
  return [
    { x: before.x[last], y: before.smooth[last] },
    { x: next.x[0], y: next.smooth[0] },
  ]
}

/** From the point at which a line leaves an older one to its own first point. */
function forkOf({ fork, smoothWhole: next }: Line): [Point, Point] {
  const first = { x: next.x[0] ?? NaN, y: next.smooth[0] ?? NaN }
  if (!fork) return [first, first]
  const { whole, smoothWhole } = fork.from
  const x = whole.x[fork.row]
  return [{ x, y: smoothWhole.smoothAt(x) }, first]
}
