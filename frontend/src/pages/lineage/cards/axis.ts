/**
 * Where the values of a column lie along one side of a plot: numbers by their value or logarithm, categories as strips, and
 * what is not set (or has no place: NaN, infinities, zero on a logarithmic axis) in lanes of its own before the axis. Pure.
 */
import { tickTexts } from '../../../charts/numbers'
import { rangeAround, type Range } from '../../../charts/range'
import { drawable, scaleOf } from '../../../charts/scale'
import { linearTicks, logTicks, xTicks } from '../../../charts/ticks'
import { FEW_NUMBERS, fewNumbers, type AxisScale } from '../axes'
import type { Column } from '../table'

/** Beside the axis: runs in which nothing is set, and runs whose value has no place on it. */
export type Lane = 'unset' | 'odd'

export interface PlotAxis {
  column: Column
  scale: AxisScale
  /** In places: values, logarithms, or numbers of categories. */
  range: Range
  /** Of strips, in order. */
  categories: readonly string[]
  lanes: readonly Lane[]
  /** Per row its place on the axis; NaN for what is in a lane. */
  places: Float64Array
  /** Per row 0 on the axis, else 1 + the number of its lane. */
  laneOf: Uint8Array
  /** Whether its numbers are moments, in seconds since 1970. */
  isTime: boolean
}

/** The column of the moments at which runs were opened. */
export const OPENED = 'opened'
/** Runs that were all opened within seconds still have a time line. */
const MOMENT = 5
/** Thickness of a lane. */
export const LANE = 22

function stripAxis(column: Column & { kind: 'category' }): PlotAxis {
  const { codes } = column
  const places = new Float64Array(codes.length)
  const laneOf = new Uint8Array(codes.length)
  let unset = false
  for (let row = 0; row < codes.length; row++) {
    places[row] = codes[row] ? codes[row] - 1 : NaN
    if (codes[row] === 0) {
      laneOf[row] = 1
      unset = true
    }
  }
  return {
    column, scale: 'category', range: { min: -0.5, max: Math.max(1, column.values.length) - 0.5 }, categories: column.values.map(String),
    lanes: unset ? ['unset'] : [], places, laneOf, isTime: false,
  }
}

function numberAxis(column: Column & { kind: 'number' }, kind: 'linear' | 'log'): PlotAxis {
  const scale = scaleOf(kind)
  const { values, missing } = column
  const places = new Float64Array(values.length)
  let [min, max] = [Infinity, -Infinity]
  let [unset, odd] = [false, false]
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (missing?.[row]) unset = true
    else if (!drawable(value, scale)) odd = true
    else {
      if (value < min) min = value
      if (value > max) max = value
    }
    places[row] = drawable(value, scale) ? scale.to(value) : NaN
  }
  const lanes: Lane[] = [...(unset ? ['unset' as const] : []), ...(odd ? ['odd' as const] : [])]
  const laneOf = Uint8Array.from(values, (value, row) => (missing?.[row] ? 1 : drawable(value, scale) ? 0 : lanes.length))
  const isTime = column.name === OPENED
  const extent = min > max ? null : isTime && max - min < 2 * MOMENT ? { min: min - MOMENT, max: max + MOMENT } : { min, max }
  return { column, scale: kind, range: rangeAround(extent, scale), categories: [], lanes, places, laneOf, isTime }
}

export function plotAxis(column: Column, scale: AxisScale): PlotAxis {
  if (column.kind === 'category') return stripAxis(column)
  return numberAxis(column, scale === 'log' ? 'log' : 'linear')
}

/** An axis along a side of a plot. */
export interface Side {
  axis: PlotAxis
  /** Pixels at which the axis begins and ends; the lanes lie before its begin. */
  from: number
  to: number
  /** Pixel of a place. */
  pixel(place: number): number
  /** The place of a pixel. */
  place(pixel: number): number
  /** The middle of a lane. */
  lane(at: number): number
  /** How far apart the middles of strips are; 0 where values have exact places. */
  strip: number
}

/**
 * Lays an axis along pixels from `begin` to `end`; where `end` is smaller it goes up.
 * Lanes take their thickness from the begin.
 */
export function sideOf(axis: PlotAxis, begin: number, end: number): Side {
  const way = end >= begin ? 1 : -1
  const from = begin + way * LANE * axis.lanes.length
  const { min, max } = axis.range
  return {
    axis, from, to: end,
    pixel: (place) => from + ((place - min) / (max - min)) * (end - from),
    place: (pixel) => min + ((pixel - from) / (end - from)) * (max - min),
    lane: (at) => begin + way * LANE * (at + 0.5),
    strip: axis.scale === 'category' ? Math.abs(end - from) / (max - min) : 0,
  }
}

export interface AxisTick {
  pixel: number
  text: string
  /** Whether it names a lane; its text is the page's. */
  lane: Lane | null
}

/** What stands along a side; `room` is the least distance of two ticks in pixels. */
export function sideTicks(side: Side, room: number): AxisTick[] {
  const { axis } = side
  const lanes = axis.lanes.map((lane, at): AxisTick => ({ pixel: side.lane(at), text: '', lane }))
  return [...lanes, ...mainTicks(side, room)]
}

function mainTicks(side: Side, room: number): AxisTick[] {
  const { axis } = side
  const length = Math.abs(side.to - side.from)
  const { min, max } = axis.range
  if (axis.scale === 'category') {
    const every = Math.max(1, Math.ceil(14 / Math.max(1, side.strip)))
    return axis.categories.map((text, at) => ({ pixel: side.pixel(at), text, lane: null })).filter((_, at) => at % every === 0)
  }
  if (axis.isTime) {
    const { at, text } = xTicks('wall', axis.range, length, 0)
    return at.map((place, k) => ({ pixel: side.pixel(place), text: text[k], lane: null }))
  }
  const chosen = chosenTicks(side, room)
  if (chosen.length) return chosen
  const count = Math.max(2, Math.floor(length / room))
  const at = axis.scale === 'log' ? logTicks(min, max, count).map((place) => Number((10 ** place).toPrecision(12))) : linearTicks(min, max, count)
  const places = axis.scale === 'log' ? at.map((value) => Math.log10(value)) : at
  const shown = places.map((place, k) => ({ place, value: at[k] })).filter(({ place }) => place >= min - 1e-9 && place <= max + 1e-9)
  const texts = tickTexts(shown.map(({ value }) => value))
  return shown.map(({ place }, k) => ({ pixel: side.pixel(place), text: texts[k], lane: null }))
}

/** A few numbers that runs share were chosen by somebody, as batch sizes are: they are ticked one by one, as on the parallel axes. */
function chosenTicks(side: Side, room: number): AxisTick[] {
  const { column, scale } = side.axis
  const few = column.kind === 'number' ? fewNumbers(column, FEW_NUMBERS) : []
  if (few.length < 2 || few.length > FEW_NUMBERS || column.set === few.length) return []
  const { to } = scaleOf(scale === 'log' ? 'log' : 'linear')
  const told = few.filter((value) => Number.isFinite(to(value)))
  const pixels = told.map((value) => side.pixel(to(value)))
  if (pixels.some((pixel, at) => at > 0 && Math.abs(pixel - pixels[at - 1]) < room / 2)) return []
  const texts = tickTexts(told)
  return told.map((_, at) => ({ pixel: pixels[at], text: texts[at], lane: null }))
}

/** What a brush between two pixels of a side holds. */
export interface Held {
  range: [number, number] | null
  values: string[]
  missing: boolean
}

/** The values between two pixels of a side: a range, or categories, and whether what is not set is among them. */
export function heldBetween(side: Side, one: number, other: number): Held {
  const [low, high] = [Math.min(one, other), Math.max(one, other)]
  const inside = (pixel: number): boolean => pixel >= low && pixel <= high
  const { axis } = side
  const missing = axis.lanes.some((lane, at) => lane === 'unset' && inside(side.lane(at)))
  if (axis.scale === 'category') {
    return { range: null, values: axis.categories.filter((_, at) => inside(side.pixel(at))), missing }
  }
  const [a, b] = [side.from, side.to].sort((p, q) => p - q)
  if (high < a || low > b) return { range: null, values: [], missing }
  const ends = [Math.max(low, a), Math.min(high, b)].map((pixel) => side.place(pixel)).sort((p, q) => p - q)
  const { from } = scaleOf(axis.scale === 'log' ? 'log' : 'linear')
  return { range: [Number(from(ends[0]).toPrecision(4)), Number(from(ends[1]).toPrecision(4))], values: [], missing }
}
