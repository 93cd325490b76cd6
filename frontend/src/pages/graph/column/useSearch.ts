/** A search through the boxes and nodes of a graph, page by page as the list is scrolled. Called by the page. */
import { computed, onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'

import type { ApiProblem } from '../../../data/types'
import type { BoxHit, Found, Hit, NodeHit } from '../../../graphs/answers'
import { wasLeft } from '../../../data/untilDone'
import type { GraphModel } from '../../../graphs/useGraph'

const SETTLES = 150
const PAGE = 100

export function useSearch(model: GraphModel, words: () => string) {
  /** The boxes that are listed before the nodes. */
  const boxes = shallowRef<readonly BoxHit[]>([])
  /** Nodes by their index among the nodes; those between may not be fetched yet. */
  const nodes = shallowReactive(new Map<number, NodeHit>())
  const nodeCount = ref(0)
  const total = computed(() => boxes.value.length + nodeCount.value)
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
      nodeCount.value = found.total
      if (page === 0) boxes.value = found.boxes
      mistake.value = found.error
      byOp.value = Object.entries(found.by_op).sort(([, a], [, b]) => b - a)
      found.rows.forEach((hit, at) => nodes.set(found.first + at, hit))
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
    nodes.clear()
    nodeCount.value = 0
    boxes.value = []
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
    const [from, to] = [first, last].map((number) => Math.max(0, number - boxes.value.length))
    for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) void fetchPage(page)
  }
  /** A hit that is there already. */
  function hitOf(number: number): Hit | undefined {
    return number < boxes.value.length ? boxes.value[number] : nodes.get(number - boxes.value.length)
  }
  /** A hit; fetched if missing. */
  async function hitAt(number: number): Promise<Hit | null> {
    if (!hitOf(number)) {
      clearTimeout(timer)
      await fetchPage(Math.floor(Math.max(0, number - boxes.value.length) / PAGE))
    }
    return hitOf(number) ?? null
  }
  return { hitOf, total, byOp, mistake, problem, busy, want, hitAt, retry: begin }
}

export type Search = ReturnType<typeof useSearch>
