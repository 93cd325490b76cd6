/** Columns of the grid: runs at the step cursor, or steps of one run around it. Pure. */
import type { RunRow } from '../../data/types'
import type { Entry } from '../../recorded/timeline'

export interface Column {
  key: string
  run: RunRow
  /** The requested step, null for the newest. */
  step: number | null
  /** Head of a column of steps; columns of runs show the run's name. */
  title: string | null
  /** Whether it is the column of the step cursor. */
  here: boolean
}

export function runColumns(runs: readonly RunRow[], step: number | null): Column[] {
  return runs.map((run) => ({ key: String(run.number), run, step, title: null, here: false }))
}

/**
 * Recorded steps of one run, with the step of the cursor near the middle.
 * @param entries in order of step
 * @param room number of columns that fit
 * @param word formats a step
 */
export function stepColumns(
  run: RunRow,
  entries: readonly Entry[],
  step: number | null,
  room: number,
  word: (step: number) => string,
): Column[] {
  const steps = [...new Set(entries.map((entry) => entry.step))]
  const here = step === null ? steps.length - 1 : steps.findLastIndex((one) => one <= step)
  const first = Math.max(0, Math.min(steps.length - room, Math.max(0, here) - (room >> 1)))
  return steps
    .slice(first, first + room)
    .map((one, at) => ({ key: `${run.number}@${one}`, run, step: one, title: word(one), here: first + at === here }))
}
