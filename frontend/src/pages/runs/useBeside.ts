/** The runs shown beside the table according to the address: the opened one, or the compared ones. */
import { computed } from 'vue'

import { useRuns } from '../../data/runs/runs'
import type { RunRow } from '../../data/types'
import { useQueryParam, type QueryParam } from '../../scaffold/viewState'

/** Length of an id prefix in the address. */
export const SHORT_ID = 8
export const MOST_COMPARED = 20
const LEAST_LETTERS = 4

const selectedParam: QueryParam<string | null> = {
  default: null,
  parse: (text) => text || undefined,
  format: (id) => id,
}

export function useBeside() {
  const runs = useRuns()
  const selectedId = useQueryParam('run', selectedParam)
  const compared = useQueryParam('compare', selectedParam)
  const selected = computed<RunRow | null>(() => {
    const id = selectedId.value
    if (id === null) return null
    for (const run of runs.byNumber.values()) if (run.id.startsWith(id)) return run
    return null
  })
  const comparing = computed(() => {
    const ids = compared.value?.split('.')
    if (!ids) return []
    const found = [...runs.byNumber.values()].filter((run) =>
      ids.some((id) => id.length >= LEAST_LETTERS && run.id.startsWith(id)),
    )
    return found.slice(0, MOST_COMPARED)
  })
  return { selectedId, compared, selected, comparing }
}
