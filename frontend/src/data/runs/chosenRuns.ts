/** The selected runs of a table, by number. Called by the tables of runs and of lineage. */
import { computed, watch, type ComputedRef, type Ref } from 'vue'

import { useRuns } from './runs'
import type { RunRow } from '../types'

/**
 * @returns the rows of existing runs, in order of selection; a run that leaves the dashboard also leaves the
 * selection
 */
export function useChosenRuns(selection: Ref<ReadonlySet<number>>): ComputedRef<readonly RunRow[]> {
  const runs = useRuns()
  watch(
    () => runs.byNumber.size,
    () => {
      const kept = [...selection.value].filter((number) => runs.byNumber.has(number))
      if (kept.length < selection.value.size) selection.value = new Set(kept)
    },
  )
  return computed(() => [...selection.value].flatMap((number) => runs.byNumber.get(number) ?? []))
}
