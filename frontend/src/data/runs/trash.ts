/** Removes runs: to the trash, back, and for good. Called by the runs page. */
import { api, ask, tell } from '../api'
import { useRuns } from './runs'
import type { components } from '../schema'
import type { RunRow } from '../types'

export type TrashContents = components['schemas']['Trash']
export type TrashRow = components['schemas']['TrashRow']

/** The functions that remove and restore runs. Each throws an ApiProblem if it fails. */
export function useTrash(): {
  put: (runs: readonly RunRow[]) => Promise<void>
  restore: (runs: readonly { id: string; number: number }[]) => Promise<void>
  purge: (runs: readonly { id: string }[]) => Promise<void>
  contents: () => Promise<TrashContents>
} {
  const runs = useRuns()
  const ids = (chosen: readonly { id: string }[]): { runs: string[] } => ({ runs: chosen.map(({ id }) => id) })
  return {
    async put(chosen) {
      await tell(api.POST('/api/runs/trash', { body: ids(chosen) }))
      runs.leave(chosen)
    },
    async restore(chosen) {
      await tell(api.POST('/api/runs/trash/restore', { body: ids(chosen) }))
      await runs.comeBack(chosen.map(({ number }) => number))
    },
    purge: (chosen) => tell(api.POST('/api/runs/trash/purge', { body: ids(chosen) })),
    contents: () => ask(api.GET('/api/runs/trash')),
  }
}
