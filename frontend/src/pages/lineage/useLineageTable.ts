/**
 * The table of all runs found with all their values, kept current while the page is open. When the live connection
 * reports a change, the table is requested again, at most once a second, with the version at hand.
 */
import { shallowRef, type ShallowRef } from 'vue'

import { answered, api } from '../../data/api'
import { ApiProblem } from '../../data/types'
import { useNews } from './news'
import { decodeTable, TableError, type LineageTable } from './table'

export interface Question {
  query: string
  shelf: 'active' | 'archived' | 'all'
  /** Scalars with an aggregate, as in the query language: `last(loss)`. */
  scalars: readonly string[]
}

export interface TableSource {
  table: ShallowRef<LineageTable | null>
  problem: ShallowRef<ApiProblem | null>
  again: () => void
}

/** Least time between two requests for updates. */
const EVERY = 1000

interface Fetched {
  table: LineageTable
  version: string | null
}

/** @returns null if the table still has the version `known` */
async function fetchTable(
  { query, shelf, scalars }: Question,
  known: string | null,
  signal: AbortSignal,
): Promise<Fetched | null> {
  const asked = { query, shelf, scalars: scalars.join(',') }
  const { data, response } = await answered(
    api.GET('/api/lineage/table', { params: { query: asked }, parseAs: 'arrayBuffer', signal }),
  )
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
  const key = (): string => JSON.stringify(question())
  let held: { key: string; version: string | null } | null = null
  const { problem, again } = useNews(
    key,
    EVERY,
    async (signal) => {
      const asked = key()
      return { key: asked, found: await fetchTable(question(), held?.key === asked ? held.version : null, signal) }
    },
    ({ key: asked, found }) => {
      if (!found) return
      held = { key: asked, version: found.version }
      table.value = found.table
    },
  )
  return { table, problem, again }
}
