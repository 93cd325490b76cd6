/** The Pareto front of two metrics, and the best value so far over time. Pure. */
import type { Better } from '../../../../data/runs/runTable'

type Direction = Exclude<Better, null>

/**
 * The rows that no other row beats in both numbers, sorted by the first. Rows with a number that is not finite are left
 * out. Rows with the same two numbers are all included.
 */
export function paretoFront(
  rows: readonly number[],
  x: (row: number) => number,
  y: (row: number) => number,
  betterX: Direction,
  betterY: Direction,
): number[] {
  const [sx, sy] = [betterX === 'max' ? -1 : 1, betterY === 'max' ? -1 : 1]
  const finite = rows.filter((row) => Number.isFinite(x(row)) && Number.isFinite(y(row)))
  // The best x first; among equals the best y.
  const sorted = finite.sort((a, b) => sx * (x(a) - x(b)) || sy * (y(a) - y(b)))
  const front: number[] = []
  let [bestY, itsX] = [Infinity, NaN]
  for (const row of sorted) {
    const here = sy * y(row)
    if (here < bestY || (here === bestY && x(row) === itsX)) front.push(row)
    if (here < bestY) [bestY, itsX] = [here, x(row)]
  }
  return front
}

export interface Advance {
  row: number
  at: number
  value: number
}

/**
 * The rows that were better than all earlier ones.
 * @param rows sorted by time
 */
export function advances(
  rows: Iterable<number>,
  time: (row: number) => number,
  value: (row: number) => number,
  better: Direction,
): Advance[] {
  const sign = better === 'max' ? -1 : 1
  const found: Advance[] = []
  for (const row of rows) {
    const here = value(row)
    if (!Number.isFinite(here) || !Number.isFinite(time(row))) continue
    const last = found.at(-1)
    if (!last || sign * here < sign * last.value) found.push({ row, at: time(row), value: here })
  }
  return found
}
