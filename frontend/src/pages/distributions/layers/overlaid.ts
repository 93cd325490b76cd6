/** The distributions of several runs at one step, as outlines on one axis. Pure. */
import { drawBottom, drawLeft, type Pen } from '../drawing/axes'
import { FOOT, SIDE } from '../drawing/drawer'
import { onInterval, unionOf } from '../drawing/commonScale'
import type { ViewFrame } from '../drawing/frame'
import type { Histogram } from '../drawing/histogram'
import { curve, drawn } from '../drawing/ridges'
import type { Interval } from '../drawing/scale'
import { makeScene, rowOf, type Box, type Height, type Scene } from '../drawing/scene'
import type { Ink } from '../../../charts/drawing/theme'
import { tickText } from '../../../charts/scales/numbers'

export interface Outline {
  scene: Scene
  row: number
}

/**
 * The scene of each run on one axis; null where nothing is known yet.
 * @param common the axis of all cards; without it that of these runs
 */
export function outlinesOf(
  lines: readonly { frame: ViewFrame | null; exact: Histogram | null }[],
  height: Height,
  cursor: number | null,
  common: Interval | null,
): (Outline | null)[] {
  const known = lines.flatMap(({ frame }) => (frame?.rows.length ? [frame.interval] : []))
  const interval = common ?? unionOf(known)
  return lines.map(({ frame, exact }) => {
    if (!frame?.rows.length || !interval) return null
    const scene = makeScene(onInterval(frame, interval), height, exact)
    const row = rowOf(scene.rows, cursor)
    return row < 0 ? null : { scene, row }
  })
}

const HEAD = 12
const END = 12

export function boxOf(width: number, height: number): Box {
  return { left: SIDE, top: HEAD, width: Math.max(1, width - SIDE - END), height: Math.max(1, height - HEAD - FOOT) }
}

/** Draws outlines; the dash of a run tells it from others where colours do not. */
export function drawOutlines(
  pen: Pen,
  ink: Ink,
  box: Box,
  height: Height,
  outlines: readonly { outline: Outline; colour: string; dash: number[] }[],
): void {
  if (!outlines.length) return
  const all = outlines.map(({ outline: { scene, row } }) => drawn(scene, row, row).heights)
  const peak = Math.max(...all.map((heights) => heights.reduce((most, one) => Math.max(most, one), 0))) || 1
  const [{ outline }] = outlines
  drawBottom(pen, ink, box, outline.scene.interval, false)
  const write = height === 'log' ? (value: number): string => tickText(10 ** value - 1, 2) : undefined
  drawLeft(pen, ink, box, { low: 0, high: peak }, write)
  pen.lineWidth = 1.5
  outlines.forEach(({ outline: { scene }, colour, dash }, at) => {
    pen.strokeStyle = ink.colour(colour)
    pen.setLineDash(dash)
    curve(pen, { ...scene, peak }, all[at], box.left, box.width, box.top + box.height, box.height)
    pen.stroke()
  })
  pen.setLineDash([])
}
