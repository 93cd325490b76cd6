/** Loads the current text. Called by cards and the panel. */
import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import type { ApiProblem } from '../../data/types'
import type { Entry } from '../../recorded/timeline'
import type { Library, TextRow } from './library'

export interface Shown {
  /** The loaded text; the previous one stays, with its own step, until the next has arrived. */
  row: ShallowRef<TextRow | null>
  problem: ShallowRef<ApiProblem | null>
  busy: Ref<boolean>
}

/** Loads the current text; of several pending requests only the last counts. */
export function useText(library: Library, wanted: () => { entry: Entry | null; characters: number }): Shown {
  const row = shallowRef<TextRow | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const busy = ref(false)
  let turn = 0
  const key = (): string => {
    const { entry, characters } = wanted()
    return entry ? `${entry.series}/${entry.index}/${characters}` : ''
  }
  watch(
    key,
    async () => {
      const mine = ++turn
      const { entry, characters } = wanted()
      problem.value = null
      if (!entry) {
        row.value = null
        busy.value = false
        return
      }
      busy.value = true
      try {
        const found = await library.read(entry, characters)
        if (mine === turn) row.value = found
      } catch (cause) {
        if (mine !== turn) return
        row.value = null
        problem.value = cause as ApiProblem
      }
      if (mine === turn) busy.value = false
    },
    { immediate: true },
  )
  return { row, problem, busy }
}
