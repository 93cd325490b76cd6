/**
 * Places of a column's values on a scale, the values without a place, and the ticks of its axis. The parallel axes
 * (parallel/layout.ts) and the plots (cards/plots/axis.ts) share this layout. Pure.
 */
import { tickText, tickTexts } from '../../charts/scales/numbers'
import { scaleOf } from '../../charts/scales/scale'
import { linearTicks, logTicks } from '../../charts/scales/ticks'
import { FEW_NUMBERS, fewNumbers } from './axes'
import type { CategoryColumn, NumberColumn } from './table'

/**
 * The kind of a row: on the axis, without a value, or with a value that has no place (NaN, infinite, not positive on a
 * logarithmic axis).
 */
export const ON = 0
export const UNSET = 1
export const ODD = 2

export interface Places {
  /** By row, its value or logarithm, or the rank of its category; NaN if it is not on the axis. */
  at: Float64Array
  /** By row, ON, UNSET or ODD. */
  kind: Uint8Array
  /** The lowest and the highest place; Infinity and -Infinity if no row has one. */
  min: number
  max: number
  hasUnset: boolean
  hasOdd: boolean
}

function placed(rows: number, isUnset: (row: number) => boolean, placeOf: (row: number) => number): Places {
  const at = new Float64Array(rows)
  const kind = new Uint8Array(rows)
  let [min, max, hasUnset, hasOdd] = [Infinity, -Infinity, false, false]
  for (let row = 0; row < rows; row++) {
    const unset = isUnset(row)
    const place = unset ? NaN : placeOf(row)
    const on = Number.isFinite(place)
    at[row] = on ? place : NaN
    kind[row] = on ? ON : unset ? UNSET : ODD
    if (unset) hasUnset = true
    else if (!on) hasOdd = true
    else {
      if (place < min) min = place
      if (place > max) max = place
    }
  }
  return { at, kind, min, max, hasUnset, hasOdd }
}

export function numberPlaces({ values, missing }: NumberColumn, scale: 'linear' | 'log'): Places {
  const { to } = scaleOf(scale)
  return placed(
    values.length,
    (row) => missing?.[row] === 1,
    (row) => to(values[row]),
  )
}

/** Indices into `column.values` of the first categories in order; numeric texts are sorted by value. */
export function categoryOrder({ values }: CategoryColumn, most = Infinity): number[] {
  const compare = (a: unknown, b: unknown): number =>
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true })
  return values
    .map((_, at) => at)
    .sort((a, b) => compare(values[a], values[b]))
    .slice(0, most)
}

/** Rows by the rank of their category; categories not in `order` have no place. */
export function categoryPlaces({ values, codes }: CategoryColumn, order: readonly number[]): Places {
  const ranks = new Float64Array(values.length).fill(NaN)
  order.forEach((value, rank) => (ranks[value] = rank))
  return placed(
    codes.length,
    (row) => codes[row] === 0,
    (row) => ranks[codes[row] - 1],
  )
}

export interface PlaceTick {
  /** A value or its logarithm. */
  at: number
  value: number
}

/**
 * The distinct numbers of a column if there are few, as with batch sizes, which somebody chose; null if there are many.
 */
export function chosenTicks(column: NumberColumn, scale: 'linear' | 'log'): PlaceTick[] | null {
  const few = fewNumbers(column, FEW_NUMBERS)
  if (few.length > FEW_NUMBERS) return null
  const { to } = scaleOf(scale)
  return few.map((value) => ({ at: to(value), value })).filter(({ at }) => Number.isFinite(at))
}

/** About this many round numbers between two places. */
export function roundTicks(scale: 'linear' | 'log', min: number, max: number, count: number): PlaceTick[] {
  // A power of ten computed from its logarithm may be off in the last digits.
  if (scale === 'log') return logTicks(min, max, count).map((at) => ({ at, value: Number((10 ** at).toPrecision(12)) }))
  return linearTicks(min, max, count).map((at) => ({ at, value: at }))
}

/** Shortest tick texts that are still distinct, because nobody reads a result of many digits digit by digit. */
export function ticksAsTexts(ticks: readonly PlaceTick[], digits: number): string[] {
  const short = ticks.map(({ value }) => tickText(value, digits))
  return new Set(short).size === ticks.length ? short : tickTexts(ticks.map(({ value }) => value))
}
