/** Draws the timeline: only what is visible, one rectangle for each slice or block, and texts where they fit. */
import { AXIS, CURVE, firstAfter, LABEL, LANE, type CurveLane, type Lane } from './lanes'
import type { Drawn, Head, Range } from './source'
import { roundDistance, timeText } from './times'

const COLOURS = 9
const LEAST_TEXT = 36

export interface Look {
  text: string
  mut: string
  panel: string
  line: string
  grid: string
  accent: string
  sunken: string
  fills: string[]
}

/** The colours of the theme. */
export function lookOf(element: Element): Look {
  const style = getComputedStyle(element)
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    text: of('text'),
    mut: of('text-2'),
    panel: of('panel'),
    line: of('line'),
    grid: of('grid'),
    accent: of('accent'),
    sunken: of('sunken'),
    fills: Array.from({ length: COLOURS }, (_, index) => of(`run-${index + 1}`)),
  }
}

/** A counter's points in a window (time, lowest and highest value) and its bounds over them. */
export interface Curve {
  points: readonly (readonly number[])[]
  low: number
  high: number
}

export interface Picture {
  curveLanes: readonly CurveLane[]
  curves: ReadonlyMap<number, Curve>
  /** The text of a value of a counter. */
  valueText: (counter: number, value: number) => string
  head: Head
  lanes: readonly Lane[]
  drawn: Drawn | null
  parts: ReadonlyMap<number, [number, number]>
  range: Range
  selection: Range | null
  /** Row of the chosen slice. */
  chosen: number | null
  /** Whether a name is searched for; null without a search. */
  found: ((name: number) => boolean) | null
  /** Pixels that are scrolled away above. */
  scrolled: number
}

/** The same name has the same colour in every trace. */
export function colourOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) | 0
  return Math.abs(hash) % COLOURS
}

export function drawTimeline(
  pen: CanvasRenderingContext2D,
  width: number,
  height: number,
  one: Picture,
  look: Look,
): void {
  const { range } = one
  const scale = width / (range.end - range.begin)
  const x = (moment: number): number => (moment - range.begin) * scale
  pen.fillStyle = look.panel
  pen.fillRect(0, 0, width, height)
  pen.textBaseline = 'middle'
  drawGrid(pen, width, height, range, look)
  pen.font = '11px ui-monospace, monospace'
  for (const lane of one.lanes) {
    const top = lane.top - one.scrolled
    if (top > height || top + LABEL + lane.depth * LANE < AXIS) continue
    for (let depth = 0; depth < lane.depth; depth++) {
      const y = top + LABEL + depth * LANE
      const part = one.parts.get(lane.track * 256 + depth)
      if (part && y < height && y > AXIS - LANE) drawPart(pen, one, look, part, y, x, width)
    }
    pen.fillStyle = look.sunken
    pen.fillRect(0, top, width, LABEL - 2)
    pen.fillStyle = look.text
    pen.fillText(lane.label, 6, top + LABEL / 2 - 1)
  }
  for (const lane of one.curveLanes) {
    const top = lane.top - one.scrolled
    if (top < height && top + LABEL + CURVE > AXIS) drawCurve(pen, one, look, lane, top, x, width)
  }
  drawAxis(pen, width, range, look)
  if (one.selection) {
    pen.globalAlpha = 0.15
    pen.fillStyle = look.accent
    pen.fillRect(x(one.selection.begin), AXIS, (one.selection.end - one.selection.begin) * scale, height)
    pen.globalAlpha = 1
  }
}

/** A counter keeps its value until the next point, so its curve is a row of steps. */
function drawCurve(
  pen: CanvasRenderingContext2D,
  one: Picture,
  look: Look,
  lane: CurveLane,
  top: number,
  x: (moment: number) => number,
  width: number,
): void {
  const curve = one.curves.get(lane.counter)
  let label = lane.label
  if (curve) {
    const bottom = top + LABEL + CURVE
    const y = (value: number): number =>
      bottom - ((value - curve.low) * (CURVE - 3)) / (curve.high - curve.low || 1) - 1
    pen.beginPath()
    for (const [index, [time = 0, low = 0, high = 0]] of curve.points.entries()) {
      const left = Math.max(-2, Math.min(width + 2, x(time)))
      if (index > 0) pen.lineTo(left, y(curve.points[index - 1]?.[2] ?? 0))
      pen.lineTo(left, y(low))
      pen.lineTo(left, y(high))
    }
    pen.lineTo(width + 2, y(curve.points.at(-1)?.[2] ?? 0))
    pen.strokeStyle = look.fills[colourOf(lane.label)] ?? look.text
    pen.lineWidth = 1.5
    pen.stroke()
    label += `  ${one.valueText(lane.counter, curve.low)} – ${one.valueText(lane.counter, curve.high)}`
  }
  pen.fillStyle = look.sunken
  pen.fillRect(0, top, width, LABEL - 2)
  pen.fillStyle = look.text
  pen.fillText(label, 6, top + LABEL / 2 - 1)
}

/** The bounds of a counter's points. */
export function curveOf(points: readonly (readonly number[])[]): Curve {
  const low = points.reduce((least, [, value = 0]) => Math.min(least, value), Infinity)
  const high = points.reduce((most, [, , value = 0]) => Math.max(most, value), -Infinity)
  return { points, low, high }
}

function drawPart(
  pen: CanvasRenderingContext2D,
  one: Picture,
  look: Look,
  part: readonly [number, number],
  y: number,
  x: (moment: number) => number,
  width: number,
): void {
  const { drawn } = one
  if (!drawn) return
  for (let at = firstAfter(drawn, part, one.range.begin); at < part[1]; at++) {
    const start = drawn.start[at] as number
    const begin = x(start)
    if (begin > width) break
    const left = Math.max(-1, begin)
    const wide = Math.max(1, Math.min(width + 1, x(start + (drawn.duration[at] as number))) - left - 0.5)
    drawSlice(pen, one, look, drawn, at, { left, y, wide })
  }
}

function drawSlice(
  pen: CanvasRenderingContext2D,
  { head, found, chosen }: Picture,
  look: Look,
  drawn: Drawn,
  at: number,
  { left, y, wide }: { left: number; y: number; wide: number },
): void {
  const high = LANE - 2
  const index = drawn.name[at] as number
  const single = drawn.count[at] === 1
  const name = head.names[index]?.[0] ?? ''
  const shade = single ? 1 : 0.65
  pen.globalAlpha = found && !found(index) ? 0.2 : shade
  pen.fillStyle = look.fills[colourOf(name)] ?? look.text
  pen.fillRect(left, y, wide, high)
  pen.globalAlpha = 1
  if (wide > LEAST_TEXT && single) {
    pen.fillStyle = look.panel
    const most = Math.floor((wide - 6) / 6.7)
    pen.fillText(name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name, left + 3, y + high / 2)
  }
  if (drawn.row[at] === chosen) {
    pen.strokeStyle = look.text
    pen.lineWidth = 2
    pen.strokeRect(left + 1, y + 1, wide - 2, high - 2)
  }
}

function ticksOf(range: Range, width: number): number[] {
  const distance = roundDistance(((range.end - range.begin) * 110) / width)
  const ticks: number[] = []
  for (let at = Math.ceil(range.begin / distance) * distance; at < range.end; at += distance) ticks.push(at)
  return ticks
}

function drawGrid(pen: CanvasRenderingContext2D, width: number, height: number, range: Range, look: Look): void {
  pen.fillStyle = look.grid
  for (const tick of ticksOf(range, width)) {
    pen.fillRect(Math.round(((tick - range.begin) * width) / (range.end - range.begin)), 0, 1, height)
  }
}

function drawAxis(pen: CanvasRenderingContext2D, width: number, range: Range, look: Look): void {
  pen.fillStyle = look.panel
  pen.fillRect(0, 0, width, AXIS)
  pen.fillStyle = look.mut
  for (const tick of ticksOf(range, width)) {
    const left = ((tick - range.begin) * width) / (range.end - range.begin)
    pen.fillText(timeText(tick), left + 4, AXIS / 2)
  }
  pen.fillStyle = look.line
  pen.fillRect(0, AXIS - 1, width, 1)
}
