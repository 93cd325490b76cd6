/** Where runs lie on an axis: numbers by its scale, categories one below the other, and what has no place in lanes below. Pure. */
import { tickText, tickTexts } from '../../../charts/numbers'
import { scaleOf } from '../../../charts/scale'
import { linearTicks, logTicks } from '../../../charts/ticks'
import { FEW_NUMBERS, fewNumbers, type Axis } from '../axes'
import { isSet, type CategoryColumn, type Column, type NumberColumn } from '../table'

/** Places of what is not on the axis itself: numbers that its scale has no room for (NaN, infinite, none above zero), and no value at all. */
export const NOWHERE = 2
export const UNSET = 3
/** More categories than this are not told apart. */
const MOST_CATEGORIES = 400
/** Ticks may not be nearer than this share of the axis. */
const TICK_ROOM = 0.045
const TICKS = 5
const SHORT = 4

export interface Tick {
  /** 0 above, 1 below. */
  at: number
  text: string
}

export interface AxisLayout {
  axis: Axis
  column: Column
  /** By row: 0 above to 1 below, or NOWHERE or UNSET. */
  places: Float32Array
  ticks: readonly Tick[]
  /** Texts from above to below where the axis has categories; otherwise null. */
  categories: readonly string[] | null
  hasNowhere: boolean
  hasUnset: boolean
  /** Place of a number on an axis of numbers; NaN where it has none. */
  placeOf: (value: number) => number
  /** Number at a place of an axis of numbers. */
  valueAt: (place: number) => number
}

const turned = (place: number, inverted: boolean): number => (inverted ? place : 1 - place)

function layOut(axis: Axis, column: Column, rows: number, parts: Pick<AxisLayout, 'ticks' | 'categories' | 'placeOf' | 'valueAt'>, placeOfRow: (row: number) => number): AxisLayout {
  const places = new Float32Array(rows)
  let hasNowhere = false
  let hasUnset = false
  for (let row = 0; row < rows; row++) {
    const place = isSet(column, row) ? placeOfRow(row) : UNSET
    places[row] = place >= 0 ? place : NOWHERE
    if (place === UNSET) hasUnset = true
    else if (!(place >= 0)) hasNowhere = true
  }
  return { axis, column, places, hasNowhere, hasUnset, ...parts }
}

/** Ticks of which none touches the one before it. */
function spaced(ticks: readonly Tick[]): Tick[] {
  const kept: Tick[] = []
  for (const tick of [...ticks].sort((a, b) => a.at - b.at)) if (!kept.length || tick.at - kept[kept.length - 1].at >= TICK_ROOM) kept.push(tick)
  return kept
}

function categoryAxis(axis: Axis, column: CategoryColumn): AxisLayout {
  const order = column.values.map((_, at) => at).sort((a, b) => compare(column.values[a], column.values[b])).slice(0, MOST_CATEGORIES)
  if (axis.inverted) order.reverse()
  const places = new Float32Array(column.values.length).fill(NaN)
  order.forEach((value, at) => (places[value] = order.length > 1 ? at / (order.length - 1) : 0.5))
  const categories = order.map((value) => String(column.values[value]))
  const ticks = spaced(categories.map((text, at) => ({ at: order.length > 1 ? at / (order.length - 1) : 0.5, text })))
  return layOut(axis, column, column.codes.length, { ticks, categories, placeOf: () => NaN, valueAt: () => NaN }, (row) => places[column.codes[row] - 1])
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), undefined, { numeric: true })
}

/** An axis of numbers whose values lie at equal distances. */
function rankedAxis(axis: Axis, column: NumberColumn): AxisLayout {
  const numbers = fewNumbers(column, MOST_CATEGORIES).slice(0, MOST_CATEGORIES)
  const ordered = axis.inverted ? numbers : [...numbers].reverse()
  const placeAt = (at: number): number => (ordered.length > 1 ? at / (ordered.length - 1) : 0.5)
  const places = new Map(ordered.map((value, at) => [value, placeAt(at)]))
  const texts = ordered.map((value) => tickText(value))
  return layOut(axis, column, column.values.length, {
    ticks: spaced(texts.map((text, at) => ({ at: placeAt(at), text }))), categories: texts,
    placeOf: (value) => places.get(value) ?? NaN,
    valueAt: (place) => ordered[Math.max(0, Math.min(ordered.length - 1, Math.round(place * (ordered.length - 1))))],
  }, (row) => places.get(column.values[row]) ?? NaN)
}

function numberAxis(axis: Axis, column: NumberColumn): AxisLayout {
  const log = axis.scale === 'log'
  const { to, from } = scaleOf(log ? 'log' : 'linear')
  let low = Infinity
  let high = -Infinity
  for (const value of column.values) {
    const place = to(value)
    if (Number.isFinite(place)) {
      if (place < low) low = place
      if (place > high) high = place
    }
  }
  const span = high - low
  const { inverted } = axis
  const share = (place: number): number => (Number.isFinite(place) ? turned(span > 0 ? (place - low) / span : 0.5, inverted) : NaN)
  const places = span >= 0 ? ticksOf(column, low, high, log) : []
  const numbers = log ? places.map((place) => Number((10 ** place).toPrecision(12))) : places
  // A result of many digits is not read digit by digit.
  const short = numbers.map((value) => tickText(value, SHORT))
  const texts = new Set(short).size === numbers.length ? short : tickTexts(numbers)
  return layOut(axis, column, column.values.length, {
    ticks: spaced(places.map((place, at) => ({ at: share(place), text: texts[at] }))), categories: null,
    placeOf: (value) => share(to(value)),
    valueAt: (place) => from(low + turned(place, inverted) * span),
  }, (row) => share(to(column.values[row])))
}

/** Few numbers are ticked one by one, others at round ones. */
function ticksOf(column: NumberColumn, low: number, high: number, log: boolean): number[] {
  const few = fewNumbers(column, FEW_NUMBERS)
  if (few.length <= FEW_NUMBERS) return few.map((value) => (log ? Math.log10(value) : value)).filter(Number.isFinite)
  return log ? logTicks(low, high, TICKS) : linearTicks(low, high, TICKS)
}

/** Lays the rows of a column out along an axis; categories stay categories whatever the axis says. */
export function layOutAxis(axis: Axis, column: Column): AxisLayout {
  if (column.kind === 'category') return categoryAxis(axis, column)
  return axis.scale === 'category' ? rankedAxis(axis, column) : numberAxis(axis, column)
}
