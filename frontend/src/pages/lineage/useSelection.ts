/**
 * The selected runs, in the list and among the best ones; kept in the address if they fit. Called by
 * useLineageState.ts.
 */
import { computed, shallowRef, type WritableComputedRef } from 'vue'

import { useQueryParam, type QueryParam } from '../../scaffold/viewState'

/** Larger selections are kept only while the page is open. */
const MOST_NAMED = 200

const selectedParam: QueryParam<readonly number[]> = {
  default: [],
  parse: (text) =>
    [...new Set(text.split(',').map(Number))].filter((run) => Number.isInteger(run) && run > 0).slice(0, MOST_NAMED),
  format: (runs) => runs.join(',') || null,
}

/** Run numbers, in order of selection. */
export function useSelection(): WritableComputedRef<ReadonlySet<number>> {
  const named = useQueryParam('selected', selectedParam)
  const many = shallowRef<ReadonlySet<number> | null>(null)
  return computed({
    get: () => many.value ?? new Set(named.value),
    set(runs) {
      many.value = runs.size > MOST_NAMED ? runs : null
      named.value = runs.size > MOST_NAMED ? [] : [...runs]
    },
  })
}
