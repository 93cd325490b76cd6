/** Changes what people note about runs, on the server and in the shared set. Called by the runs page. */
import { api, ask } from './api'
import { useRuns } from './runs'
import type { Marks, RunRow } from './types'

export type MarksChange = Partial<Omit<Marks, 'version' | 'tags'>> & { tags?: string[] }
export interface ManyMarksChange {
  pinned?: boolean
  archived?: boolean
  colour?: number | null
  add_tags?: string[]
  remove_tags?: string[]
}

/** The ways to change marks; each throws an ApiProblem when that is not possible. */
export function useMarks(): {
  change: (run: RunRow, changes: MarksChange) => Promise<void>
  changeMany: (runs: readonly RunRow[], changes: ManyMarksChange) => Promise<void>
} {
  const runs = useRuns()
  return {
    async change(run, changes) {
      // A note is written in sight of the older one: somebody else's must not vanish with it.
      const version = changes.note === undefined ? {} : { version: run.marks.version }
      const answer = await ask(api.PATCH('/api/runs/{uid}/marks', { params: { path: { uid: run.id } }, body: { ...changes, ...version } }))
      runs.putMarks({ [run.id]: answer })
    },
    async changeMany(chosen, changes) {
      const answer = await ask(api.PATCH('/api/runs/marks', {
        body: { runs: chosen.map((run) => run.id), add_tags: [], remove_tags: [], ...changes },
      }))
      runs.putMarks(answer.marks)
    },
  }
}
