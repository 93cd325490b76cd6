/** The runs that are selected in a table, by their numbers. Called by the tables of runs and of lineage. */
import { computed, watch, type ComputedRef, type Ref } from 'vue'

import { useRuns } from './runs'
import type { RunRow } from '../types'

/**
 * @returns the rows of those that exist, in the order in which they were selected; what leaves the dashboard leaves the
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
