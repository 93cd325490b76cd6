/** Pixel geometry of the parallel axes: positions of axes, crossings of runs, and the line under a point. Pure. */
import { shortName } from '../names'
import type { NumberColumn } from '../table'
import { NOWHERE, UNSET, type AxisLayout } from './layout'

/** Heights of the names at the top, of the axes, and of each lane below. */
const TOP = 58
const SPAN = 300
const LANE = 26
const BELOW = 14
/** At the right: the legend, and beside it the ticks of the last axis. */
const LEGEND = 84
const LAST_TICKS = { min: 36, max: 64 }
/** At the left: at least half a name, at most the width of the first axis's ticks. */
const LEFT = { min: 64, max: 140 }
const LETTER = 7.2
const BESIDE_TICK = 26
/** Least distance between names. */
const BETWEEN = 10
/** Names without room side by side are slanted, up to this length; this share of it is height. */
const LONGEST_RISING = 132
const RISE = 0.5
const AROUND_NAME = 8

export interface Frame {
  /** Whether there is room to draw. */
  ready: boolean
  width: number
  height: number
  /** First and last pixel of the axes, from top to bottom. */
  top: number
  foot: number
  span: number
  /** Middle of the lanes. */
  nowhere: number
  unset: number
  /** Positions of the axes. */
  xs: readonly number[]
  /** Width for a tick between two axes. */
  room: number
  /** Length for a name, along its direction. */
  nameRoom: number
  /** Whether names are slanted. */
  rising: boolean
}

export function frameOf(width: number, layouts: readonly AxisLayout[]): Frame {
  const left = Math.max(LEFT.min, Math.min(LEFT.max, widestTick(layouts[0]) + BESIDE_TICK))
  const right =
    LEGEND + Math.max(LAST_TICKS.min, Math.min(LAST_TICKS.max, widestTick(layouts.at(-1)) + BESIDE_TICK / 2))
  const inner = Math.max(0, width - left - right)
  const gap = layouts.length > 1 ? inner / (layouts.length - 1) : 0
  const xs = layouts.map((_, at) => Math.round(left + (layouts.length > 1 ? at * gap : inner / 2)))
  const room = Math.max(40, (gap || inner) - BETWEEN)
  const widest = Math.max(0, ...layouts.map(({ axis }) => shortName(axis.name).length * LETTER + AROUND_NAME))
  const rising = widest > room && room < LONGEST_RISING
  const nameRoom = rising ? Math.min(LONGEST_RISING, widest) : room
  const top = TOP + (rising ? nameRoom * RISE : 0)
  const foot = top + SPAN
  const lanes = [layouts.some(({ hasNowhere }) => hasNowhere), layouts.some(({ hasUnset }) => hasUnset)]
  const nowhere = foot + LANE
  const unset = nowhere + (lanes[0] ? LANE : 0)
  const height = foot + (Number(lanes[0]) + Number(lanes[1])) * LANE + BELOW
  return {
    ready: width > left + right && layouts.length > 0,
    width,
    height,
    top,
    foot,
    span: SPAN,
    nowhere,
    unset,
    xs,
    room,
    nameRoom,
    rising,
  }
}

const widestTick = (layout: AxisLayout | undefined): number =>
  Math.max(0, ...(layout?.ticks ?? []).map(({ text }) => text.length)) * LETTER

/**
 * Spread of runs with equal values: at most this many pixels, only for columns with at most this many distinct values,
 * and at most this share of the distance to the next value.
 */
const SPREAD = { pixels: 16, values: 24, part: 0.4 }
/** Runs of one value per pixel of spread. */
const PER_PIXEL = 0.5

/** Pixels over which runs of one value are spread; 0 if there are many values. */
function spreadOf({ places }: AxisLayout, span: number): number {
  const distinct = new Set<number>()
  for (const place of places) {
    if (place <= 1) distinct.add(place)
    if (distinct.size > SPREAD.values) return 0
  }
  const sorted = [...distinct].sort((a, b) => a - b)
  const closest = sorted.slice(1).reduce((least, place, at) => Math.min(least, place - sorted[at]), 1) * span
  return Math.min(SPREAD.pixels, closest * SPREAD.part, (places.length / Math.max(1, sorted.length)) * PER_PIXEL)
}

/**
 * By row, the pixel where it crosses an axis.
 * @param ranks by row, from 0 for the best run to 1 for the worst; runs with equal values lie side by side in this
 *   order
 */
export function pixelsOf(layout: AxisLayout, { top, span, nowhere, unset }: Frame, ranks: Float32Array): Float32Array {
  const spread = spreadOf(layout, span)
  return layout.places.map((place, row) =>
    place === UNSET ? unset : place === NOWHERE ? nowhere : top + place * span + (ranks[row] - 0.5) * spread,
  )
}

/** By row, its rank among all runs from the best (0) to the worst (1); runs without a value are last. */
export function ranksOf(target: NumberColumn | null, count: number): Float32Array {
  const rows = Uint32Array.from({ length: count }, (_, row) => row)
  const ranks = new Float32Array(count).fill(0.5)
  if (!target) return ranks
  const sign = target.better === 'min' ? 1 : -1
  const keys = target.values.map((value) => (Number.isNaN(value) ? Infinity : sign * value))
  rows.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b))
  rows.forEach((row, at) => (ranks[row] = at / Math.max(1, count - 1)))
  return ranks
}

/** Shortens a tick's text before the next axis: a number to fewer digits, a name by cutting it. */
export function shownText(text: string, { room }: Frame, at: number): string {
  const letters =
    at === 0 ? Math.floor((LEFT.max - BESIDE_TICK) / LETTER) : Math.max(4, Math.floor((room - BESIDE_TICK) / LETTER))
  if (text.length <= letters) return text
  const number = Number(text.replace('−', '-'))
  if (Number.isNaN(number)) return `${text.slice(0, letters - 1)}…`
  const short = number.toExponential().replace('e+', 'e').replaceAll('-', '−')
  return short.length < text.length ? short : text
}

/** A line across the axes as the painter draws it: horizontal at each axis. */
export function linePath(xs: readonly number[], ys: readonly number[]): string {
  return xs
    .map((x, at) => {
      if (at === 0) return `M${x} ${ys[0]}`
      const third = (x - xs[at - 1]) / 3
      return `C${xs[at - 1] + third} ${ys[at - 1]} ${x - third} ${ys[at]} ${x} ${ys[at]}`
    })
    .join('')
}

/**
 * The row whose line is nearest to a point; passing rows take precedence.
 * @param near largest distance in pixels
 */
export function nearestRow(
  x: number,
  y: number,
  { xs }: Frame,
  ys: readonly Float32Array[],
  passing: Uint8Array,
  near: number,
): number | null {
  if (xs.length === 0 || x < xs[0] - near || x > xs[xs.length - 1] + near) return null
  const gap = Math.max(
    0,
    Math.min(xs.length - 2, xs.findIndex((one) => x < one) - 1 + (x >= xs[xs.length - 1] ? xs.length : 0)),
  )
  const right = Math.min(gap + 1, xs.length - 1)
  const t = right > gap ? Math.max(0, Math.min(1, (x - xs[gap]) / (xs[right] - xs[gap]))) : 0
  const share = t * t * (3 - 2 * t)
  const [from, to] = [ys[gap], ys[right]]
  let best: number | null = null
  let distance = near
  let bestPasses = false
  for (let row = 0; row < passing.length; row++) {
    const passes = passing[row] === 1
    if (bestPasses && !passes) continue
    const away = Math.abs(from[row] + (to[row] - from[row]) * share - y)
    if (away < distance || (passes && !bestPasses && away < near)) {
      best = row
      distance = away
      bestPasses = passes
    }
  }
  return best
}
