/**
 * Positions of a column's values along one side of a plot: numbers by value or logarithm, categories as strips. Unset
 * values and values without a place (NaN, infinities, zero on a logarithmic axis) have lanes of their own before the
 * axis. Pure.
 */
import { rangeAround, type Range } from '../../../../charts/scales/range'
import { scaleOf } from '../../../../charts/scales/scale'
import { xTicks } from '../../../../charts/scales/ticks'
import type { AxisScale } from '../../axes'
import {
  categoryOrder,
  categoryPlaces,
  chosenTicks,
  numberPlaces,
  ON,
  roundTicks,
  ticksAsTexts,
  UNSET,
  type Places,
  type PlaceTick,
} from '../../places'
import type { CategoryColumn, Column, NumberColumn } from '../../table'

/** Lanes beside the axis: runs without a value, and runs whose value has no place on the axis. */
export type Lane = 'unset' | 'odd'

export interface PlotAxis {
  column: Column
  scale: AxisScale
  /** In axis units: values, logarithms, or indices of categories. */
  range: Range
  /** The strips, in order. */
  categories: readonly string[]
  lanes: readonly Lane[]
  /** By row, its place on the axis; NaN for rows in a lane. */
  places: Float64Array
  /** By row, 0 if it is on the axis, otherwise 1 + the index of its lane. */
  laneOf: Uint8Array
  /** Whether its numbers are times, in seconds since 1970. */
  isTime: boolean
}

/** The column of the start times of runs. */
export const OPENED = 'opened'
/** The shortest time axis in seconds, for runs that all started together. */
const MOMENT = 5
/** Most digits of tick texts; fewer if those are enough to tell ticks apart. */
const DIGITS = 6
/** Thickness of a lane in pixels. */
export const LANE = 22

function axisOf(
  column: Column,
  scale: AxisScale,
  places: Places,
  parts: Pick<PlotAxis, 'range' | 'categories' | 'isTime'>,
): PlotAxis {
  const lanes: Lane[] = [...(places.hasUnset ? ['unset' as const] : []), ...(places.hasOdd ? ['odd' as const] : [])]
  const laneOf = places.kind.map((kind) => (kind === ON ? 0 : kind === UNSET ? 1 : lanes.length))
  return { column, scale, lanes, places: places.at, laneOf, ...parts }
}

function stripAxis(column: CategoryColumn): PlotAxis {
  const order = categoryOrder(column)
  const range = { min: -0.5, max: Math.max(1, order.length) - 0.5 }
  return axisOf(column, 'category', categoryPlaces(column, order), {
    range,
    categories: order.map((at) => String(column.values[at])),
    isTime: false,
  })
}

function numberAxis(column: NumberColumn, kind: 'linear' | 'log'): PlotAxis {
  const scale = scaleOf(kind)
  const places = numberPlaces(column, kind)
  const isTime = column.name === OPENED
  let extent = places.min > places.max ? null : { min: scale.from(places.min), max: scale.from(places.max) }
  if (extent && isTime && extent.max - extent.min < 2 * MOMENT)
    extent = { min: extent.min - MOMENT, max: extent.max + MOMENT }
  return axisOf(column, kind, places, { range: rangeAround(extent, scale), categories: [], isTime })
}

export function plotAxis(column: Column, scale: AxisScale): PlotAxis {
  if (column.kind === 'category') return stripAxis(column)
  return numberAxis(column, scale === 'log' ? 'log' : 'linear')
}

/** An axis along a side of a plot. */
export interface Side {
  axis: PlotAxis
  /** First and last pixel of the axis; lanes lie before the first one. */
  from: number
  to: number
  /** The pixel of a place. */
  pixel(place: number): number
  /** The place of a pixel. */
  place(pixel: number): number
  /** The middle of a lane in pixels. */
  lane(at: number): number
  /** Distance between the middles of strips in pixels; 0 if values have exact places. */
  strip: number
}

/** Lays out an axis in pixels from `begin` to `end`; if `end` is smaller, it goes up. Lanes lie at its beginning. */
export function sideOf(axis: PlotAxis, begin: number, end: number): Side {
  const way = end >= begin ? 1 : -1
  const from = begin + way * LANE * axis.lanes.length
  const { min, max } = axis.range
  return {
    axis,
    from,
    to: end,
    pixel: (place) => from + ((place - min) / (max - min)) * (end - from),
    place: (pixel) => min + ((pixel - from) / (end - from)) * (max - min),
    lane: (at) => begin + way * LANE * (at + 0.5),
    strip: axis.scale === 'category' ? Math.abs(end - from) / (max - min) : 0,
  }
}

export interface AxisTick {
  pixel: number
  text: string
  /** The lane that the tick labels, if any; the page provides the text. */
  lane: Lane | null
}

/** The ticks of a side; `room` is the smallest distance of two ticks in pixels. */
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
    return axis.categories
      .map((text, at) => ({ pixel: side.pixel(at), text, lane: null }))
      .filter((_, at) => at % every === 0)
  }
  if (axis.isTime) {
    const { at, text } = xTicks('wall', axis.range, length, 0)
    return at.map((place, k) => ({ pixel: side.pixel(place), text: text[k], lane: null }))
  }
  const ticks =
    sharedTicks(side, room) ?? roundTicks(numberScale(axis), min, max, Math.max(2, Math.floor(length / room)))
  const shown = ticks.filter(({ at }) => at >= min - 1e-9 && at <= max + 1e-9)
  const texts = ticksAsTexts(shown, DIGITS)
  return shown.map(({ at }, k) => ({ pixel: side.pixel(at), text: texts[k], lane: null }))
}

const numberScale = ({ scale }: PlotAxis): 'linear' | 'log' => (scale === 'log' ? 'log' : 'linear')

/** The few distinct numbers of the runs, if there is room for them; otherwise null. */
function sharedTicks({ axis, pixel }: Side, room: number): PlaceTick[] | null {
  const { column } = axis
  const chosen = column.kind === 'number' ? chosenTicks(column, numberScale(axis)) : null
  if (!chosen || chosen.length < 2 || column.set === chosen.length) return null
  const crowded = chosen.some(({ at }, k) => k > 0 && Math.abs(pixel(at) - pixel(chosen[k - 1].at)) < room / 2)
  return crowded ? null : chosen
}

/** The values that a brush between two pixels of a side selects. */
export interface Held {
  range: [number, number] | null
  values: string[]
  missing: boolean
}

/** The values between two pixels of a side: a range or categories, and whether unset values are included. */
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
  const { from } = scaleOf(numberScale(axis))
  return { range: [Number(from(ends[0]).toPrecision(4)), Number(from(ends[1]).toPrecision(4))], values: [], missing }
}
