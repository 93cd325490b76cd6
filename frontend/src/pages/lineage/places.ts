/**
 * Where the values of a column lie by a scale, which of them have no place there, and where an axis of it is ticked:
 * the one layout of parallel axes (parallel/layout.ts) and of plots (cards/axis.ts). Pure.
 */
import { tickText, tickTexts } from '../../charts/scales/numbers'
import { scaleOf } from '../../charts/scales/scale'
import { linearTicks, logTicks } from '../../charts/scales/ticks'
import { FEW_NUMBERS, fewNumbers } from './axes'
import type { CategoryColumn, NumberColumn } from './table'

/**
 * What a row is: on the axis, without a value, or with one that has no place on it (NaN, infinities, none above zero on
 * a logarithmic axis).
 */
export const ON = 0
export const UNSET = 1
export const ODD = 2

export interface Places {
  /** Per row a value or its logarithm, or the rank of its category; NaN for what is not on the axis. */
  at: Float64Array
  /** Per row ON, UNSET or ODD. */
  kind: Uint8Array
  /** The lowest and the highest place; Infinity and -Infinity where no row has one. */
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

/** The first so many categories in order, numbers in texts by their size: their numbers in `column.values`. */
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

/** Rows by the rank of their category; categories beyond `order` have no place. */
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
 * The numbers of a column one by one where they are few, as batch sizes are: somebody chose them. Null where they are
 * many.
 */
export function chosenTicks(column: NumberColumn, scale: 'linear' | 'log'): PlaceTick[] | null {
  const few = fewNumbers(column, FEW_NUMBERS)
  if (few.length > FEW_NUMBERS) return null
  const { to } = scaleOf(scale)
  return few.map((value) => ({ at: to(value), value })).filter(({ at }) => Number.isFinite(at))
}

/** About so many round numbers between two places. */
export function roundTicks(scale: 'linear' | 'log', min: number, max: number, count: number): PlaceTick[] {
  // A power of ten from its logarithm is one but for the last digits.
  if (scale === 'log') return logTicks(min, max, count).map((at) => ({ at, value: Number((10 ** at).toPrecision(12)) }))
  return linearTicks(min, max, count).map((at) => ({ at, value: at }))
}

/** Texts of ticks, as short as they can be told apart: a result of many digits is not read digit by digit. */
export function ticksAsTexts(ticks: readonly PlaceTick[], digits: number): string[] {
  const short = ticks.map(({ value }) => tickText(value, digits))
  return new Set(short).size === ticks.length ? short : tickTexts(ticks.map(({ value }) => value))
}
