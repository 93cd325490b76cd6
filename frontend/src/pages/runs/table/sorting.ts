/** The order of the table of runs in the query language. The server's standard order is newest first. */
import type { QueryParam } from '../../../scaffold/viewState'
import type { RunRow } from '../../../data/types'

export interface Sort {
  /** An operand of the query language. */
  key: string
  descending: boolean
}

/** `sort=name` or `sort=-max(accuracy)` in the address; null is the standard order. */
export const sortParam: QueryParam<Sort | null> = {
  default: null,
  parse(text) {
    const key = text.replace(/^-/, '')
    return key ? { key, descending: text.startsWith('-') } : undefined
  },
  format: (sort) => sort && sortText(sort),
}

export function sortText(sort: Sort | null): string {
  return sort ? (sort.descending ? '-' : '') + sort.key : ''
}

/**
 * A click on a column head: names first ascending, numbers first descending; then reversed; then the standard order.
 */
export function nextSort(sort: Sort | null, key: string): Sort | null {
  const firstDescending = key !== 'name'
  if (sort?.key !== key) return { key, descending: firstDescending }
  return sort.descending === firstDescending ? { key, descending: !firstDescending } : null
}

/** Seconds between a run's first and last point, or null if it has none. */
export function durationOf(run: RunRow): number | null {
  return run.firstWall === null || run.lastWall === null ? null : run.lastWall - run.firstWall
}

/** The name of the main tag if all runs that have one share it. */
export function sharedLead(runs: Iterable<RunRow>): string | null {
  let shared: string | null = null
  for (const { leadTag } of runs) {
    if (!leadTag) continue
    if (shared !== null && leadTag.name !== shared) return null
    shared = leadTag.name
  }
  return shared
}
