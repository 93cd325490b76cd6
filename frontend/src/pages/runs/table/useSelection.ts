/** The selected runs for actions on all of them: single runs, or ranges of rows. */
import { shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import { useChosenRuns } from '../../../data/runs/chosenRuns'
import type { RunRow } from '../../../data/types'
import { runsBetween, type Entry } from './entries'

export interface Selection {
  selection: ShallowRef<ReadonlySet<number>>
  /** The rows of the runs that exist, in order of selection. */
  chosen: ComputedRef<readonly RunRow[]>
  toggle: (index: number) => boolean
  /** Selects this row alone. */
  only: (index: number) => void
  /** Selects from the last selected row to this one, beside what is selected or in place of it. */
  range: (index: number, beside?: boolean) => boolean
  selectAll: () => void
  clear: () => void
}

export function useSelection(entries: Ref<readonly Entry[]>, active: Ref<number>): Selection {
  const selection = shallowRef<ReadonlySet<number>>(new Set())
  const chosen = useChosenRuns(selection)
  /** The run where a range selection begins. */
  let anchor: number | null = null
  const indexOf = (run: number): number => entries.value.findIndex((entry) => entry.kind === 'run' && entry.run === run)

  function toggle(index: number): boolean {
    const entry = entries.value[index]
    if (!entry) return false
    const next = new Set(selection.value)
    if (entry.kind === 'group') {
      // A group stands for its runs.
      const inside = insideOf(index)
      const all = inside.every((run) => next.has(run))
      for (const run of inside)
        if (all) next.delete(run)
        else next.add(run)
    } else {
      if (!next.delete(entry.run)) next.add(entry.run)
      anchor = entry.run
    }
    selection.value = next
    return true
  }
  function insideOf(index: number): number[] {
    const group = entries.value[index]
    if (group?.kind !== 'group') return []
    const end = entries.value.findIndex(
      (entry, at) => at > index && entry.kind === 'group' && entry.group.level <= group.group.level,
    )
    return runsBetween(entries.value, index, end < 0 ? entries.value.length : end - 1)
  }
  function only(index: number): void {
    const entry = entries.value[index]
    if (entry?.kind !== 'run') return
    selection.value = new Set([entry.run])
    anchor = entry.run
  }
  function range(index: number, beside = true): boolean {
    const from = anchor === null ? active.value : indexOf(anchor)
    if (index < 0) return false
    selection.value = new Set([
      ...(beside ? selection.value : []),
      ...runsBetween(entries.value, from < 0 ? index : from, index),
    ])
    return true
  }
  return {
    selection,
    chosen,
    toggle,
    only,
    range,
    selectAll: () =>
      void (selection.value = new Set(entries.value.flatMap((entry) => (entry.kind === 'run' ? [entry.run] : [])))),
    clear: () => void (selection.value = new Set()),
  }
}
