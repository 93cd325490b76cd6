/**
 * Positions of runs on an axis: numbers by scale, categories one below the other, values without a place in lanes
 * below. Pure.
 */
import { tickText } from '../../../charts/scales/numbers'
import { scaleOf } from '../../../charts/scales/scale'
import { fewNumbers, type Axis } from '../axes'
import {
  categoryOrder,
  categoryPlaces,
  chosenTicks,
  numberPlaces,
  ON,
  roundTicks,
  ticksAsTexts,
  UNSET as UNSET_ROW,
  type Places,
} from '../places'
import type { CategoryColumn, Column, NumberColumn } from '../table'

/**
 * Places of values that are not on the axis: numbers without a place on its scale (NaN, infinite, not positive), and
 * unset values.
 */
export const NOWHERE = 2
export const UNSET = 3
/** Largest number of categories shown separately. */
const MOST_CATEGORIES = 400
/** Least distance of two ticks, as a share of the axis. */
const TICK_ROOM = 0.045
const TICKS = 5
const SHORT = 4

export interface Tick {
  /** 0 at the top, 1 at the bottom. */
  at: number
  text: string
}

export interface AxisLayout {
  axis: Axis
  column: Column
  /** By row: 0 (top) to 1 (bottom), or NOWHERE or UNSET. */
  places: Float32Array
  ticks: readonly Tick[]
  /** Categories from top to bottom; null on an axis of numbers. */
  categories: readonly string[] | null
  hasNowhere: boolean
  hasUnset: boolean
  /** Place of a number on an axis of numbers; NaN if it has none. */
  placeOf: (value: number) => number
  /** Number at a place of an axis of numbers. */
  valueAt: (place: number) => number
}

const turned = (place: number, inverted: boolean): number => (inverted ? place : 1 - place)

function layOut(
  axis: Axis,
  column: Column,
  rows: Places,
  parts: Pick<AxisLayout, 'ticks' | 'categories' | 'placeOf' | 'valueAt'>,
  share: (at: number) => number,
): AxisLayout {
  const places = Float32Array.from(rows.at, (at, row) =>
    rows.kind[row] === ON ? share(at) : rows.kind[row] === UNSET_ROW ? UNSET : NOWHERE,
  )
  return { axis, column, places, hasNowhere: rows.hasOdd, hasUnset: rows.hasUnset, ...parts }
}

/** Ticks without those that would touch the previous one. */
function spaced(ticks: readonly Tick[]): Tick[] {
  const kept: Tick[] = []
  for (const tick of [...ticks].sort((a, b) => a.at - b.at))
    if (!kept.length || tick.at - kept[kept.length - 1].at >= TICK_ROOM) kept.push(tick)
  return kept
}

/** The place of one of several ranks, as a share of the axis. */
function shareOfRank(count: number, inverted: boolean): (rank: number) => number {
  return (rank) => (count > 1 ? (inverted ? count - 1 - rank : rank) / (count - 1) : 0.5)
}

function categoryAxis(axis: Axis, column: CategoryColumn): AxisLayout {
  const order = categoryOrder(column, MOST_CATEGORIES)
  const share = shareOfRank(order.length, axis.inverted)
  const named = order.map((value) => String(column.values[value]))
  const categories = axis.inverted ? [...named].reverse() : named
  const ticks = spaced(named.map((text, rank) => ({ at: share(rank), text })))
  return layOut(
    axis,
    column,
    categoryPlaces(column, order),
    { ticks, categories, placeOf: () => NaN, valueAt: () => NaN },
    share,
  )
}

/** An axis of numbers with equal distances between its values. */
function rankedAxis(axis: Axis, column: NumberColumn): AxisLayout {
  const numbers = fewNumbers(column, MOST_CATEGORIES).slice(0, MOST_CATEGORIES)
  const share = shareOfRank(numbers.length, !axis.inverted)
  const ranks = new Map(numbers.map((value, rank) => [value, rank]))
  const placeOf = (value: number): number => share(ranks.get(value) ?? NaN)
  const texts = numbers.map((value) => tickText(value))
  const last = numbers.length - 1
  // By rank, so a number beyond the last one has no place.
  const places = numberPlaces(
    { ...column, values: Float64Array.from(column.values, (value) => ranks.get(value) ?? NaN) },
    'linear',
  )
  return layOut(
    axis,
    column,
    places,
    {
      ticks: spaced(texts.map((text, rank) => ({ at: share(rank), text }))),
      categories: axis.inverted ? texts : [...texts].reverse(),
      placeOf,
      valueAt: (place) => numbers[Math.max(0, Math.min(last, Math.round(turned(place, axis.inverted) * last)))],
    },
    share,
  )
}

function numberAxis(axis: Axis, column: NumberColumn): AxisLayout {
  const scale = axis.scale === 'log' ? 'log' : 'linear'
  const { to, from } = scaleOf(scale)
  const places = numberPlaces(column, scale)
  const { min, max } = places
  const span = max - min
  const { inverted } = axis
  const share = (at: number): number =>
    Number.isFinite(at) ? turned(span > 0 ? (at - min) / span : 0.5, inverted) : NaN
  const ticks = span >= 0 ? (chosenTicks(column, scale) ?? roundTicks(scale, min, max, TICKS)) : []
  const texts = ticksAsTexts(ticks, SHORT)
  return layOut(
    axis,
    column,
    places,
    {
      ticks: spaced(ticks.map(({ at }, k) => ({ at: share(at), text: texts[k] }))),
      categories: null,
      placeOf: (value) => share(to(value)),
      valueAt: (place) => from(min + turned(place, inverted) * span),
    },
    share,
  )
}

/** Lays out a column along an axis; categories stay categories whatever the axis's scale is. */
export function layOutAxis(axis: Axis, column: Column): AxisLayout {
  if (column.kind === 'category') return categoryAxis(axis, column)
  return axis.scale === 'category' ? rankedAxis(axis, column) : numberAxis(axis, column)
}
