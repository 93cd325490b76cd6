/** The input pipelines of the runs that a query finds, asked for again when runs have news, every two seconds at most. Called by DataLineage.vue. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { api, ask } from '../../../data/api'
import { useHub } from '../../../data/hub'
import type { components } from '../../../data/schema'
import type { ApiProblem } from '../../../data/types'

export type Pipelines = components['schemas']['Pipelines']

export interface Question {
  query: string
  shelf: 'active' | 'archived' | 'all'
}

const SETTLED = 60
const EVERY = 2000

export function usePipelines(question: () => Question): { found: ShallowRef<Pipelines | null>; problem: ShallowRef<ApiProblem | null>; again: () => void } {
  const found = shallowRef<Pipelines | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  let running: AbortController | null = null
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    timer = undefined
    running?.abort()
    const mine = (running = new AbortController())
    asked = performance.now()
    try {
      const answer = await ask(api.GET('/api/lineage/pipelines', { params: { query: question() }, signal: mine.signal }))
      if (running !== mine) return
      if (JSON.stringify(answer) !== JSON.stringify(found.value)) found.value = answer
      problem.value = null
    } catch (failure) {
      if (running === mine) problem.value = failure as ApiProblem
    }
    if (running === mine) running = null
  }
  function loadIn(delay: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void load(), delay)
  }

  watch(() => JSON.stringify(question()), () => loadIn(SETTLED))
  onScopeDispose(useHub().listen({
    runs: () => {
      if (timer === undefined) loadIn(Math.max(running ? EVERY : 0, asked + EVERY - performance.now()))
    },
  }))
  onScopeDispose(() => {
    clearTimeout(timer)
    running?.abort()
    running = null
  })
  void load()
  return { found, problem, again: () => loadIn(0) }
}
