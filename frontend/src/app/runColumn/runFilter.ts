/**
 * The filter of the run column. Plain words are matched here at once. Queries are answered by the server, in the
 * language of docs/reference/queries.md.
 */
import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import { useRuns } from '../../data/runs/runs'
import type { ApiProblem, RunRow } from '../../data/types'

/** Milliseconds to wait for the next keystroke. */
const SETTLED = 150
/** Milliseconds between updates, because the results of a query change with every point. */
const AGAIN_AFTER = 5000

/** Whether the text is a query for the server: it compares, calls or combines. */
export const isQuery = (text: string): boolean => /[<>=~:()"']|(^|\s)(and|or|not|in)(\s|$)/i.test(text)

/** A test for plain words: all of them must occur in the name or the directory. */
export function byWords(text: string): (row: RunRow) => boolean {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  return (row) => {
    const names = `${row.name}\n${row.directory}`.toLowerCase()
    return words.every((word) => names.includes(word))
  }
}

export interface RunFilter {
  matching: ComputedRef<readonly RunRow[]>
  /** The error in the query. The runs are those of the last valid query. */
  problem: ShallowRef<ApiProblem | null>
  /** Whether `matching` answers the text as it is now. */
  settled: ComputedRef<boolean>
}

export function useRunFilter(text: Readonly<Ref<string>>): RunFilter {
  const runs = useRuns()
  const found = shallowRef<ReadonlySet<number> | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  /** The query that was answered last. */
  const answered = shallowRef<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  async function search(query: string): Promise<void> {
    const mine = ++turn
    try {
      const answer = await ask(api.GET('/api/runs/order', { params: { query: { query, shelf: 'active' } } }))
      if (mine !== turn) return
      found.value = new Set(answer.runs)
      answered.value = query
      problem.value = null
    } catch (failure) {
      if (mine !== turn) return
      problem.value = failure as ApiProblem
    }
    timer = setTimeout(() => void search(query), AGAIN_AFTER)
  }
  watch(
    text,
    (now, before) => {
      clearTimeout(timer)
      turn++
      problem.value = null
      if (!isQuery(now)) {
        found.value = null
        return
      }
      if (before === undefined || !isQuery(before)) found.value = null
      timer = setTimeout(() => void search(now.trim()), before === undefined ? 0 : SETTLED)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(timer)
    turn++
  })

  const matching = computed(() => {
    const asked = text.value.trim()
    if (!asked) return runs.rows
    if (!isQuery(asked)) return runs.rows.filter(byWords(asked))
    const known = found.value
    return known ? runs.rows.filter((row) => known.has(row.number)) : runs.rows
  })
  const settled = computed(() => !isQuery(text.value) || answered.value === text.value.trim())
  return { matching, problem, settled }
}
