/**
 * The input pipelines of the runs that match a query. Fetched again when runs change, at most every two seconds. Called
 * by DataLineage.vue.
 */
import { shallowRef, type ShallowRef } from 'vue'

import { api, ask } from '../../../data/api'
import type { components } from '../../../data/schema'
import type { ApiProblem } from '../../../data/types'
import { useNews } from '../news'

export type Pipelines = components['schemas']['Pipelines']

export interface Question {
  query: string
  shelf: 'active' | 'archived' | 'all'
}

const EVERY = 2000

export function usePipelines(question: () => Question): {
  found: ShallowRef<Pipelines | null>
  problem: ShallowRef<ApiProblem | null>
  again: () => void
} {
  const found = shallowRef<Pipelines | null>(null)
  const { problem, again } = useNews(
    () => JSON.stringify(question()),
    EVERY,
    (signal) => ask(api.GET('/api/lineage/pipelines', { params: { query: question() }, signal })),
    (answer) => {
      if (JSON.stringify(answer) !== JSON.stringify(found.value)) found.value = answer
    },
  )
  return { found, problem, again }
}
