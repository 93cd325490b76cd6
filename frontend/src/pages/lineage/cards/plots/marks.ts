/**
 * Marks drawn over the points of a plot: the effect of a parameter with its band, quartiles of strips, a front, the
 * best so far. Pure; in pixels.
 */
import type { Side } from './axis'
import type { Effect } from '../answers'
import { LINEAR, LOG } from '../../../../charts/scales/scale'
import type { Points } from './scatter'

/** The mark of a strip or lane: its middle, and a value of its runs with an interval. */
export interface StripMark {
  x: number
  y: number
  low: number
  high: number
  /** Half of the mark's width. */
  half: number
}

export interface EffectMarks {
  /** The curve as an SVG path, like its band; empty for categories. */
  line: string
  band: string
  strips: StripMark[]
}

const placeOn = (side: Side, value: number): number => side.pixel((side.axis.scale === 'log' ? LOG : LINEAR).to(value))
const point = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`
/** Largest half width of a mark in a strip or lane. */
const HALF = 16

/** The effect of the parameter on the x axis on the target on the y axis. */
export function effectMarks(effect: Effect, across: Side, up: Side): EffectMarks {
  const y = (value: number): number => placeOn(up, value)
  const strips: StripMark[] = []
  const mark = (x: number, of: { mean: number; low: number; high: number }, half: number): void => {
    strips.push({ x, y: y(of.mean), low: y(of.low), high: y(of.high), half })
  }
  const unset = across.axis.lanes.indexOf('unset')
  if (effect.missing && unset >= 0) mark(across.lane(unset), effect.missing, 8)
  const each = (at: number): { mean: number; low: number; high: number } => ({
    mean: effect.mean[at],
    low: effect.low[at],
    high: effect.high[at],
  })
  if (effect.categories) {
    effect.categories.forEach((value, at) => {
      const place = across.axis.categories.indexOf(String(value))
      if (place >= 0) mark(across.pixel(place), each(at), Math.min(HALF, across.strip * 0.4))
    })
    return { line: '', band: '', strips }
  }
  if (across.axis.scale === 'category') return { line: '', band: '', strips }
  const places = (effect.x ?? [])
    .map((value, at) => ({ x: value === null ? NaN : placeOn(across, value), at }))
    .filter(({ x }) => Number.isFinite(x))
  const path = (of: readonly number[], ordered = places): string =>
    ordered.map(({ x, at }) => point(x, y(of[at]))).join('L')
  if (places.length < 2) return { line: '', band: '', strips }
  return {
    line: `M${path(effect.mean)}`,
    band: `M${path(effect.high)}L${path(effect.low, [...places].reverse())}Z`,
    strips,
  }
}

function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1)
  const at = Math.floor(place)
  return sorted[at] + (sorted[Math.min(sorted.length - 1, at + 1)] - sorted[at]) * (place - at)
}

/** With fewer runs the points themselves say more than quartiles. */
const FEWEST = 4

/** The quartiles of the runs in each strip of the x axis, if the y axis has exact places. */
export function stripQuartiles(across: Side, up: Side, points: Points, rows: readonly number[]): StripMark[] {
  if (!across.strip || up.strip) return []
  const strips = across.axis.categories.map((): number[] => [])
  for (const row of rows) {
    if (across.axis.laneOf[row] || up.axis.laneOf[row]) continue
    strips[across.axis.places[row]]?.push(points.y[row])
  }
  return strips.flatMap((found, at) => {
    if (found.length < FEWEST) return []
    const sorted = found.sort((a, b) => a - b)
    return [
      {
        x: across.pixel(at),
        y: quantile(sorted, 0.5),
        low: quantile(sorted, 0.75),
        high: quantile(sorted, 0.25),
        half: Math.min(HALF, across.strip * 0.4),
      },
    ]
  })
}

/** A staircase through rows from left to right, at the best value so far. */
export function stairs(rows: readonly number[], points: Points, end: number | null): string {
  const steps = rows
    .map((row, at) =>
      at ? `H${points.x[row].toFixed(1)}V${points.y[row].toFixed(1)}` : `M${point(points.x[row], points.y[row])}`,
    )
    .join('')
  return steps && end !== null ? `${steps}H${end.toFixed(1)}` : steps
}
