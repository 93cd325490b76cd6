/**
 * Colours of runs by their target: from a sequential scale, whose end with the most contrast to the page is the good one
 * (dark violet on white, yellow on black). Pure; called by useLineageState.ts.
 */
import { shadeAt } from '../../design/sequential'
import type { NumberColumn } from './table'

/** So many colours; enough that no step between two is seen. */
export const SHADES = 64
export const NO_TARGET = SHADES
export const NOT_PASSING = SHADES + 1
/** Of this share of runs at either end the values may lie outside of the scale, where there are enough runs. */
const OUTSIDE = 0.02
const ENOUGH = 50
/** The part of viridis that is seen on the page, from the worst to the best. */
const PARTS = { light: [0.52, 0], dark: [0.25, 1] } as const

/** CSS colours by shade, from the worst to the best, then those of runs without a target and of runs that do not pass. */
export function paletteOf(theme: 'light' | 'dark', noTarget: string, notPassing: string): string[] {
  const [worst, best] = PARTS[theme]
  const colours = Array.from({ length: SHADES }, (_, at) => shadeAt('viridis', worst + ((best - worst) * at) / (SHADES - 1)))
  return [...colours.map((rgb) => `rgb(${rgb.join(' ')})`), noTarget, notPassing]
}

/**
 * The values at the ends of the colours, the worst first: of the runs that pass, without a few at either end.
 * @returns null where none of them has a finite value
 */
export function endsOf(target: NumberColumn, passing: Uint8Array): [number, number] | null {
  const some = target.values.filter((value, row) => passing[row] === 1 && Number.isFinite(value)).sort()
  if (some.length === 0) return null
  const cut = some.length >= ENOUGH ? Math.floor(some.length * OUTSIDE) : 0
  const [low, high] = [some[cut], some[some.length - 1 - cut]]
  return target.better === 'min' ? [high, low] : [low, high]
}

/** The shades by row. */
export function shadesOf(target: NumberColumn | null, ends: readonly [number, number] | null, log: boolean, passing: Uint8Array): Uint8Array {
  const shades = new Uint8Array(passing.length)
  const place = (value: number): number => (log ? Math.log(value) : value)
  const [worst, best] = ends ? [place(ends[0]), place(ends[1])] : [0, 1]
  for (let row = 0; row < shades.length; row++) {
    if (passing[row] === 0) shades[row] = NOT_PASSING
    else {
      const value = target && ends ? place(target.values[row]) : NaN
      const share = worst === best ? 1 : (value - worst) / (best - worst)
      shades[row] = Number.isNaN(share) ? NO_TARGET : Math.round(Math.min(1, Math.max(0, share)) * (SHADES - 1))
    }
  }
  return shades
}
