/**
 * The table of all runs found with everything known of them, kept current while the page is open: the live connection
 * tells that something changed, and the server is asked again, at most once a second, with the version that is held.
 */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { answered, api } from '../../data/api'
import { useHub } from '../../data/hub'
import { ApiProblem } from '../../data/types'
import { decodeTable, TableError, type LineageTable } from './table'

export interface Question {
  query: string
  shelf: 'active' | 'archived' | 'all'
  /** Scalars with an aggregate, as the query language has them: `last(loss)`. */
  scalars: readonly string[]
}

export interface TableSource {
  table: ShallowRef<LineageTable | null>
  problem: ShallowRef<ApiProblem | null>
  again: () => void
}

/** A keystroke waits so long for the next. */
const SETTLED = 60
/** No two questions within this time where only news are asked for. */
const EVERY = 1000

interface Fetched {
  table: LineageTable
  version: string | null
}

/** @returns null where the table is still that of the version `known` */
async function fetchTable({ query, shelf, scalars }: Question, known: string | null, signal: AbortSignal): Promise<Fetched | null> {
  const asked = { query, shelf, scalars: scalars.join(',') }
  const { data, response } = await answered(api.GET('/api/lineage/table', { params: { query: asked }, parseAs: 'arrayBuffer', signal }))
  const version = response.headers.get('ETag')
  if (version !== null && version === known) return null
  try {
    return { table: decodeTable(data as unknown as ArrayBuffer), version }
  } catch (failure) {
    if (failure instanceof TableError) throw new ApiProblem('unexpected_answer', failure.message, {}, response.status)
    throw failure
  }
}

export function useLineageTable(question: () => Question): TableSource {
  const table = shallowRef<LineageTable | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  let version: string | null = null
  let asked = 0
  let running: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    timer = undefined
    running?.abort()
    const mine = (running = new AbortController())
    asked = performance.now()
    try {
      const found = await fetchTable(question(), version, mine.signal)
      if (running !== mine) return
      if (found) {
        version = found.version
        table.value = found.table
      }
      problem.value = null
    } catch (failure) {
      // What is held stays where only news could not be had; a query that is not understood is told.
      if (running === mine) problem.value = failure as ApiProblem
    }
    if (running === mine) running = null
  }
  function loadIn(delay: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void load(), delay)
  }
  /** Something changed: asks when the last question is a second old and answered. */
  function follow(): void {
    if (timer === undefined && !document.hidden) loadIn(Math.max(running ? EVERY : 0, asked + EVERY - performance.now()))
  }

  watch(() => JSON.stringify(question()), () => {
    version = null
    loadIn(SETTLED)
  })
  onScopeDispose(useHub().listen({ runs: follow }))
  document.addEventListener('visibilitychange', follow)
  onScopeDispose(() => {
    document.removeEventListener('visibilitychange', follow)
    clearTimeout(timer)
    running?.abort()
    running = null
  })
  void load()
  return { table, problem, again: () => loadIn(0) }
}
