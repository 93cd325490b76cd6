/** The drawn runs and their colours. Part of the runs store. */
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'

import type { RunRow } from '../types'
import { paintRuns, type Paint } from './colours'

const VISIBLE_AT_FIRST = 20

/** The visible runs until the user selects some: the newest ones. */
export function standardSet(rows: readonly RunRow[]): Set<number> {
  return new Set(rows.slice(0, VISIBLE_AT_FIRST).map((row) => row.number))
}

export interface VisibleRuns {
  /** The selected runs; null for the standard ones. */
  chosen: ShallowRef<ReadonlySet<number> | null>
  visible: ComputedRef<ReadonlySet<number>>
  isVisible: (run: number) => boolean
  choose: (runs: Iterable<number>) => void
  only: (run: number) => void
  showAll: () => void
  toggle: (run: number) => void
  colourOf: (run: number) => string
  dashOf: (run: number) => number[]
}

/**
 * @param byNumber all runs
 * @param rows the runs that may be drawn, newest first
 */
export function useVisibleRuns(
  byNumber: ReadonlyMap<number, RunRow>,
  rows: ComputedRef<readonly RunRow[]>,
): VisibleRuns {
  const isActive = (run: number): boolean => byNumber.get(run)?.marks.archived === false
  const chosen = shallowRef<ReadonlySet<number> | null>(null)
  const visible = computed<ReadonlySet<number>>(() =>
    chosen.value ? new Set([...chosen.value].filter(isActive)) : standardSet(rows.value),
  )
  const isVisible = (run: number): boolean => visible.value.has(run)
  const choose = (runs: Iterable<number>): void => void (chosen.value = new Set(runs))
  const only = (run: number): void => choose([run])
  const showAll = (): void => choose(rows.value.map((row) => row.number))
  function toggle(run: number): void {
    const next = new Set(visible.value)
    if (!next.delete(run)) next.add(run)
    choose(next)
  }

  const paints = computed<Map<number, Paint>>((before) => {
    const shown = rows.value.filter((row) => visible.value.has(row.number))
    return paintRuns(
      shown.sort((a, b) => a.number - b.number),
      before,
    )
  })
  const paintOf = (run: number): Paint => paints.value.get(run) ?? { colour: byNumber.get(run)?.colour ?? 0, dash: [] }
  const colourOf = (run: number): string => `var(--run-${paintOf(run).colour + 1})`
  const dashOf = (run: number): number[] => [...paintOf(run).dash]
  return { chosen, visible, isVisible, choose, only, showAll, toggle, colourOf, dashOf }
}
