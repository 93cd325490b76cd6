/** Summaries of a group's runs in the built-in columns, which the pages know without the server. */
import type { Statistics } from '../../../data/runs/runTable'
import type { RunRow } from '../../../data/types'
import { durationOf } from './sorting'

const FIGURES: Partial<Record<string, (run: RunRow) => number | null>> = {
  '@step': (run) => run.lastStep,
  '@last': (run) => run.leadTag?.lastValue ?? null,
  '@tags': (run) => run.tags,
  '@points': (run) => run.points,
  '@size': (run) => run.bytes,
  '@disk': (run) => run.diskBytes,
  '@duration': durationOf,
}

/** Null for a column that has no numbers. */
export function groupFigures(column: string, runs: readonly RunRow[]): Statistics | null {
  const figure = FIGURES[column]
  if (!figure) return null
  const values = runs.map(figure).filter((value): value is number => value !== null && Number.isFinite(value))
  const n = values.length
  if (n === 0) return { n, mean: null, std: null, min: null, max: null, best: null, same: null }
  const mean = values.reduce((sum, value) => sum + value / n, 0)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return {
    n,
    mean,
    std: n > 1 ? Math.sqrt(squares / (n - 1)) : null,
    min,
    max,
    best: null,
    same: min === max && n === runs.length ? min : undefined,
  }
}
