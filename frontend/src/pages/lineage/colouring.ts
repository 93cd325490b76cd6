/**
 * Colours of runs by their target, from a sequential scale. The good end has the most contrast to the page (dark violet
 * on white, yellow on black). Pure; called by useLineageState.ts.
 */
import { shadeAt } from '../../design/sequential'
import { LEVELS, rgbaOf, type Colours, type Levels } from './parallel/raster'
import type { NumberColumn } from './table'

/** Number of shades; enough that no step between two is visible. */
export const SHADES = 64
export const NO_TARGET = SHADES
export const NOT_PASSING = SHADES + 1
/** Share of runs at either end whose values may lie outside the scale, if there are enough runs. */
const OUTSIDE = 0.02
const ENOUGH = 50
/** The part of viridis that is visible on the page, from the worst to the best. */
const PARTS = { light: [0.52, 0], dark: [0.25, 1] } as const

/**
 * CSS colours by shade, from the worst to the best, followed by those of runs without a target and of runs outside the
 * brushes.
 */
export function paletteOf(theme: 'light' | 'dark', noTarget: string, notPassing: string): string[] {
  const [worst, best] = PARTS[theme]
  const colours = Array.from({ length: SHADES }, (_, at) =>
    shadeAt('viridis', worst + ((best - worst) * at) / (SHADES - 1)),
  )
  return [...colours.map((rgb) => `rgb(${rgb.join(' ')})`), noTarget, notPassing]
}

/** The rows with a finite value, lowest first. */
export function rowsByValue({ values }: NumberColumn): Uint32Array {
  const rows = Uint32Array.from({ length: values.length }, (_, row) => row).filter((row) =>
    Number.isFinite(values[row]),
  )
  return rows.sort((a, b) => values[a] - values[b])
}

/**
 * The target values at the ends of the scale, worst first: those of the passing runs, without a few outliers at either
 * end.
 * @param rows of `rowsByValue`
 * @returns null if none of them has a finite value
 */
export function endsOf(target: NumberColumn, rows: Uint32Array, passing: Uint8Array): [number, number] | null {
  let count = 0
  for (const row of rows) count += passing[row]
  if (count === 0) return null
  const cut = count >= ENOUGH ? Math.floor(count * OUTSIDE) : 0
  const low = valueBehind(target, rows, passing, cut)
  const high = valueBehind(target, rows, passing, count - 1 - cut)
  return target.better === 'min' ? [high, low] : [low, high]
}

/** The value of the passing row with this many passing rows before it. */
function valueBehind({ values }: NumberColumn, rows: Uint32Array, passing: Uint8Array, others: number): number {
  let left = others
  for (const row of rows) if (passing[row] === 1 && left-- === 0) return values[row]
  return NaN
}

/** Position of a value between the ends of the scale, from 0 to 1. */
function shareOf(place: number, worst: number, best: number): number {
  return worst === best ? 1 : Math.min(1, Math.max(0, (place - worst) / (best - worst)))
}
const placeOn = (log: boolean, value: number): number => (log ? Math.log(value) : value)

/** Shade of each row. */
export function shadesOf(
  target: NumberColumn | null,
  ends: readonly [number, number] | null,
  log: boolean,
  passing: Uint8Array,
): Uint8Array {
  const shades = new Uint8Array(passing.length)
  const [worst, best] = ends ? [placeOn(log, ends[0]), placeOn(log, ends[1])] : [0, 1]
  for (let row = 0; row < shades.length; row++) {
    if (passing[row] === 0) shades[row] = NOT_PASSING
    else {
      const share = target && ends ? shareOf(placeOn(log, target.values[row]), worst, best) : NaN
      shades[row] = Number.isNaN(share) ? NO_TARGET : Math.round(share * (SHADES - 1))
    }
  }
  return shades
}

/**
 * Levels of the rows on a scale that does not depend on brushes, so that lines already in the raster keep their level.
 */
export interface Worth {
  levels: Levels
  /** Target values (or logarithms) of the lowest and the highest level. */
  low: number
  high: number
  log: boolean
}

/** Levels of the rows. Values far outside the bulk share the end levels. */
export function worthOf(target: NumberColumn | null, rows: Uint32Array, log: boolean, count: number): Worth {
  const levels = new Int16Array(count).fill(-1)
  if (!target || rows.length === 0) return { levels, low: 0, high: 1, log }
  const cut = rows.length >= ENOUGH ? Math.floor(rows.length * OUTSIDE) : 0
  const at = (place: number): number => placeOn(log, target.values[rows[place]])
  const [first, last, from, to] = [at(0), at(rows.length - 1), at(cut), at(rows.length - 1 - cut)]
  const [low, high] = [Math.max(first, from - (to - from)), Math.min(last, to + (to - from))]
  for (const row of rows) levels[row] = Math.floor(shareOf(placeOn(log, target.values[row]), low, high) * (LEVELS - 1))
  return { levels, low, high, log }
}

/** RGBA by level, followed by that of rows without a target. */
export function levelColours(
  palette: readonly string[],
  { low, high, log }: Worth,
  ends: readonly [number, number] | null,
): Colours {
  const rgba = rgbaOf(palette)
  const colours = new Uint8ClampedArray(4 * (LEVELS + 1))
  const [worst, best] = ends ? [placeOn(log, ends[0]), placeOn(log, ends[1])] : [0, 1]
  for (let level = 0; level <= LEVELS; level++) {
    const share = shareOf(low + (high - low) * ((level + 0.5) / LEVELS), worst, best)
    const shade = level === LEVELS ? NO_TARGET : Math.round(share * (SHADES - 1))
    colours.set(rgba.subarray(4 * shade, 4 * shade + 4), 4 * level)
  }
  return colours
}
