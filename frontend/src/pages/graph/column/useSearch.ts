/** A search through the nodes of a graph, page by page as the list is scrolled. Called by the page. */
import { onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'

import type { ApiProblem } from '../../../data/types'
import type { Found, Hit } from '../../../graphs/answers'
import { wasLeft } from '../../../data/untilDone'
import type { GraphModel } from '../../../graphs/useGraph'

const SETTLES = 150
const PAGE = 100

export function useSearch(model: GraphModel, words: () => string) {
  /** Hits by index; those between may not be fetched yet. */
  const hits = shallowReactive(new Map<number, Hit>())
  const total = ref(0)
  const byOp = shallowRef<readonly (readonly [string, number])[]>([])
  /** The part of the query that the server does not understand. */
  const mistake = shallowRef<Found['error']>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const busy = ref(false)
  const asked = new Set<number>()
  let asking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetchPage(page: number): Promise<void> {
    if (asked.has(page)) return
    asked.add(page)
    const { signal } = asking
    busy.value = true
    try {
      const found = await model.question<Found>('search', { query: words(), first: page * PAGE, count: PAGE }, signal)
      if (signal.aborted) return
      total.value = found.total
      mistake.value = found.error
      byOp.value = Object.entries(found.by_op).sort(([, a], [, b]) => b - a)
      found.rows.forEach((hit, at) => hits.set(found.first + at, hit))
      problem.value = null
    } catch (cause) {
      if (signal.aborted || wasLeft(cause)) return
      asked.delete(page)
      problem.value = cause as ApiProblem
    }
    busy.value = false
  }

  function begin(): void {
    clearTimeout(timer)
    asking.abort()
    asking = new AbortController()
    asked.clear()
    hits.clear()
    total.value = 0
    byOp.value = []
    mistake.value = problem.value = null
    busy.value = words().trim() !== '' && model.root.value !== null
    if (busy.value) timer = setTimeout(() => void fetchPage(0), SETTLES)
  }
  watch([words, model.root], begin, { immediate: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    asking.abort()
  })

  /** Fetches the missing hits of an index range. */
  function want(first: number, last: number): void {
    if (!asked.has(0)) return
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) void fetchPage(page)
  }
  /** A hit; fetched if missing. */
  async function hitAt(number: number): Promise<Hit | null> {
    if (!hits.has(number)) {
      clearTimeout(timer)
      await fetchPage(Math.floor(number / PAGE))
    }
    return hits.get(number) ?? null
  }
  return { hits, total, byOp, mistake, problem, busy, want, hitAt, retry: begin }
}

export type Search = ReturnType<typeof useSearch>
