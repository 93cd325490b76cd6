/** The rows of the table from top to bottom: runs, or groups with their runs if they are open. */
import type { RunGroup, RunOrder } from '../../../data/runs/runTable'

export interface RunEntry {
  kind: 'run'
  run: number
}
export interface GroupEntry {
  kind: 'group'
  /** Its keys from the outermost on; identifies the group while the order changes. */
  path: string
  group: RunGroup
  open: boolean
}
export type Entry = RunEntry | GroupEntry

export function tableEntries(order: RunOrder, closed: Pick<ReadonlySet<string>, 'has'>): Entry[] {
  if (!order.groups.length) return order.runs.map((run) => ({ kind: 'run', run }))
  const deepest = order.groups.reduce((level, group) => Math.max(level, group.level), 0)
  const entries: Entry[] = []
  const keys: string[] = []
  /** Groups deeper than this are inside a closed one. */
  let hiddenBelow = Infinity
  for (const group of order.groups) {
    if (group.level > hiddenBelow) continue
    hiddenBelow = Infinity
    keys.length = group.level
    keys.push(JSON.stringify(group.key))
    const path = keys.join()
    const open = !closed.has(path)
    entries.push({ kind: 'group', path, group, open })
    if (!open) hiddenBelow = group.level
    else if (group.level === deepest) {
      for (let at = group.first; at < group.first + group.count; at++)
        entries.push({ kind: 'run', run: order.runs[at] })
    }
  }
  return entries
}

/** The runs between two rows, both included, in either direction. */
export function runsBetween(entries: readonly Entry[], one: number, other: number): number[] {
  const between = entries.slice(Math.min(one, other), Math.max(one, other) + 1)
  return between.flatMap((entry) => (entry.kind === 'run' ? [entry.run] : []))
}
