/** Parameters and results of a few runs, kept while the component is mounted and fetched again as points arrive. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { api, ask } from '../../../data/api'
import type { RunDetails } from './differences'

const AGAIN_AFTER = 2000

/**
 * @param wanted run numbers, in order
 * @param news a value that changes when there may be new data
 */
export function useDetails(wanted: () => readonly number[], news: () => unknown): ShallowRef<readonly RunDetails[]> {
  const found = shallowRef<readonly RunDetails[]>([])
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    timer = undefined
    const numbers = wanted()
    const mine = ++turn
    if (!numbers.length) {
      found.value = []
      return
    }
    try {
      const { runs } = await ask(api.GET('/api/runs/details', { params: { query: { runs: numbers.join(',') } } }))
      if (mine !== turn) return
      found.value = numbers.flatMap((number) => runs.filter((run) => run.number === number))
    } catch {
      // The previous values stay; the connection bar reports the problem.
    }
  }
  watch(
    () => wanted().join(),
    () => void load(),
    { immediate: true },
  )
  watch(news, () => (timer ??= setTimeout(() => void load(), AGAIN_AFTER)))
  onScopeDispose(() => {
    clearTimeout(timer)
    turn++
  })
  return found
}
