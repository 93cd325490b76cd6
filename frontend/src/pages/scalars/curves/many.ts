/** How charts draw many runs, and which runs are highlighted. Pure; called by cards. */
import type { SeriesRow } from '../../../data/types'
import type { Many, Rank } from '../viewParams'

/** Up to this many runs each has its own colour. */
export const MOST_COLOURED = 40
/** Up to this many grey lines remain distinguishable. */
export const MOST_LINES = 200
/** Number of runs shown by `top`. */
export const TOP = 10

/** The mode of a chart: every run in its colour, grey with a few in colour, or all runs summarized. */
export type Drawn = 'colour' | 'grey' | 'bands' | 'density' | 'top'

export function drawnAs(many: Many, runs: number): Drawn {
  if (runs <= MOST_COLOURED) return many === 'lines' || many === 'auto' ? 'colour' : many
  if (many === 'auto') return runs <= MOST_LINES ? 'grey' : 'density'
  return many === 'lines' ? 'grey' : many
}

function valueOf(row: SeriesRow, rank: Rank): number {
  if (rank === 'min') return row.min
  return rank === 'max' ? row.max : row.lastValue
}

/**
 * The best runs by a value, best first; runs without a number are left out. The last value of a run is that of its
 * newest series.
 */
export function topRuns(rows: readonly SeriesRow[], rank: Rank, count = TOP): number[] {
  const turn = rank === 'min' || rank === 'last-low' ? 1 : -1
  const best = new Map<number, { value: number; step: number }>()
  for (const row of rows) {
    const value = valueOf(row, rank)
    const step = row.lastStep ?? -Infinity
    const known = best.get(row.run)
    const better = rank.startsWith('last')
      ? !known || step >= known.step
      : Number.isFinite(value) && (!known || turn * value < turn * known.value)
    if (better) best.set(row.run, { value, step })
  }
  return [...best]
    .filter(([, { value }]) => Number.isFinite(value))
    .sort(([, a], [, b]) => turn * (a.value - b.value))
    .slice(0, count)
    .map(([run]) => run)
}
