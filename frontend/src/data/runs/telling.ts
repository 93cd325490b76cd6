/** The columns that tell the listed runs apart: their score, and the parameters in which they differ. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { api, ask } from '../api'
import type { Shelf } from './runTable'
import { useRuns } from './runs'

export interface Telling {
  /** The best score, such as `max(accuracy)`; null if the runs have none. */
  score: string | null
  parameters: readonly string[]
}

/** Milliseconds to wait for the next keystroke or run. */
const SETTLED = 150

/** @param asked the query and the shelf; null while nobody needs the columns */
export function useTelling(asked: () => { query: string; shelf: Shelf } | null): ShallowRef<Telling> {
  const runs = useRuns()
  const telling = shallowRef<Telling>({ score: null, parameters: [] })
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  async function load(query: string, shelf: Shelf): Promise<void> {
    const mine = ++turn
    try {
      const answer = await ask(api.GET('/api/runs/telling', { params: { query: { query, shelf } } }))
      if (mine === turn && JSON.stringify(answer) !== JSON.stringify(telling.value)) telling.value = answer
    } catch {
      // The previous columns stay. The table reports an error of the query.
    }
  }
  watch(
    () => JSON.stringify([asked(), [...runs.byNumber.values()].filter((run) => run.points > 0).length]),
    (_, before) => {
      const now = asked()
      clearTimeout(timer)
      if (now) timer = setTimeout(() => void load(now.query, now.shelf), before === undefined ? 0 : SETTLED)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(timer)
    turn++
  })
  return telling
}
