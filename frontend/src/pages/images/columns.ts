/** What stands side by side in the grid: runs at the step cursor, or steps of one run around it. Pure. */
import type { RunRow } from '../../data/types'
import type { Entry } from '../../recorded/timeline'

export interface Column {
  key: string
  run: RunRow
  /** The step that is asked for, null for the newest. */
  step: number | null
  /** The head of a column of steps; runs are called by their names. */
  title: string | null
  /** Whether it is the step cursor's. */
  here: boolean
}

export function runColumns(runs: readonly RunRow[], step: number | null): Column[] {
  return runs.map((run) => ({ key: String(run.number), run, step, title: null, here: false }))
}

/**
 * Recorded steps of one run with the cursor's near the middle.
 * @param entries in order of step
 * @param room for so many columns
 * @param word a step in words
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
