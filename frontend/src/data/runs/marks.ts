/**
 * Changes the marks of runs, on the server and in the shared store. Called by the pages of runs and lineage.
 */
import { api, ask } from '../api'
import type { WireMarks } from '../rows'
import { useRuns } from './runs'
import type { ApiProblem, Marks, RunRow } from '../types'

export type MarksChange = Partial<Omit<Marks, 'version' | 'tags'>> & { tags?: string[] }
export interface ManyMarksChange {
  pinned?: boolean
  archived?: boolean
  hidden?: boolean
  colour?: number | null
  icon?: number
  add_tags?: string[]
  remove_tags?: string[]
}

/**
 * Changes that replace a value, which somebody may have changed in the meantime. That value must not be lost unseen.
 */
const REPLACING = ['note', 'tags', 'colour', 'icon', 'display_name'] as const

function replaces(changes: MarksChange | ManyMarksChange): boolean {
  return REPLACING.some((name) => name in changes)
}

/**
 * The functions that change marks. Each throws an ApiProblem if it fails. If somebody else was faster, the code is
 * `stale_marks`, and the shared store then has the current marks.
 */
export function useMarks(): {
  change: (run: RunRow, changes: MarksChange) => Promise<void>
  changeMany: (runs: readonly RunRow[], changes: ManyMarksChange) => Promise<void>
} {
  const runs = useRuns()
  async function changed(
    ask: () => Promise<Record<string, WireMarks>>,
    foreign: (marks: unknown) => unknown,
  ): Promise<void> {
    try {
      runs.putMarks(await ask())
    } catch (failure) {
      const { code, detail } = failure as ApiProblem
      if (code === 'stale_marks') runs.putMarks(foreign(detail['marks']) as Record<string, WireMarks>)
      throw failure
    }
  }
  return {
    change(run, changes) {
      const version = replaces(changes) ? { version: run.marks.version } : {}
      const body = { ...changes, ...version }
      return changed(
        async () => ({
          [run.id]: await ask(api.PATCH('/api/runs/{uid}/marks', { params: { path: { uid: run.id } }, body })),
        }),
        (marks) => ({ [run.id]: marks }),
      )
    },
    changeMany(chosen, changes) {
      const versions = replaces(changes) ? Object.fromEntries(chosen.map((run) => [run.id, run.marks.version])) : {}
      const body = { runs: chosen.map((run) => run.id), add_tags: [], remove_tags: [], versions, ...changes }
      return changed(
        async () => (await ask(api.PATCH('/api/runs/marks', { body }))).marks,
        (marks) => marks,
      )
    },
  }
}
