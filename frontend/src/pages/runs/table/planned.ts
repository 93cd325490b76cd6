/** The number of steps that a run will have, from the parameters that trainings usually note. */
import { shallowReactive } from 'vue'

import type { CellValue, RunTable } from '../../../data/runs/runTable'

const STEPS = ['total_steps', 'max_steps', 'num_train_steps', 'train_steps', 'num_steps', 'planned_steps'] as const
const EPOCHS = ['epochs', 'num_epochs', 'epoch_num', 'epoch'] as const
const PARTS = ['steps_per_epoch', 'train_dataset_size', 'batch_size'] as const
const NAMES = [...STEPS, ...EPOCHS, ...PARTS]
const COLUMNS = NAMES.map((name) => `param:${name}`)

/** Null if the parameters do not tell. */
export function plannedSteps(params: Readonly<Record<string, CellValue | undefined>>): number | null {
  const first = (names: readonly string[]): number | null => {
    for (const name of names) {
      const value = params[name]
      if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
    }
    return null
  }
  const steps = first(STEPS)
  if (steps !== null) return steps
  const [epochs, each, size, batch] = [EPOCHS, ['steps_per_epoch'], ['train_dataset_size'], ['batch_size']].map(first)
  if (epochs === null) return null
  if (each !== null) return epochs * each
  return size !== null && batch !== null ? epochs * Math.ceil(size / batch) : null
}

export interface PlannedSteps {
  of: (run: number) => number | null
  want: (runs: readonly number[]) => void
}

/** The planned steps of the runs on the screen, fetched once for each. */
export function usePlannedSteps(table: RunTable): PlannedSteps {
  const known = shallowReactive(new Map<number, number | null>())
  const asked = new Set<number>()
  async function load(runs: readonly number[]): Promise<void> {
    for (const run of runs) asked.add(run)
    try {
      for (const [run, values] of await table.all(runs, COLUMNS))
        known.set(run, plannedSteps(Object.fromEntries(NAMES.map((name, at) => [name, values[at]]))))
    } catch {
      // Without an answer there are no bars; rows that come into view again are asked again.
      for (const run of runs) asked.delete(run)
    }
  }
  return {
    of: (run) => known.get(run) ?? null,
    want(runs) {
      const missing = runs.filter((run) => !asked.has(run))
      if (missing.length) void load(missing)
    },
  }
}
