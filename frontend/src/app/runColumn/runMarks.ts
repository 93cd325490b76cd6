/** Which rows of the run column are marked, to show or hide several at once. Pure but for its references. */
import { shallowRef, type ShallowRef } from 'vue'

export interface RunMarks {
  marked: ShallowRef<ReadonlySet<number>>
  /** Toggles the mark of a run. The next range begins there. */
  toggle: (run: number) => void
  /** Marks all runs from the last marked one to this one, in the order of the list. */
  extend: (list: readonly number[], to: number) => void
  clear: () => void
}

export function useRunMarks(): RunMarks {
  const marked = shallowRef<ReadonlySet<number>>(new Set())
  let anchor: number | null = null
  function toggle(run: number): void {
    const next = new Set(marked.value)
    if (!next.delete(run)) next.add(run)
    marked.value = next
    anchor = run
  }
  function extend(list: readonly number[], to: number): void {
    const from = anchor === null ? -1 : list.indexOf(anchor)
    const end = list.indexOf(to)
    if (end < 0) return
    if (from < 0) return toggle(to)
    marked.value = new Set([...marked.value, ...list.slice(Math.min(from, end), Math.max(from, end) + 1)])
  }
  function clear(): void {
    marked.value = new Set()
    anchor = null
  }
  return { marked, toggle, extend, clear }
}
