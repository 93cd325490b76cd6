/**
 * Keeps an answer about runs current while its component is mounted: when the live connection reports a change, the
 * request is repeated. Only the newest request counts. Called by the table and by the input pipelines.
 */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { useHub } from '../../data/live/hub'
import type { ApiProblem } from '../../data/types'

/** Delay in ms after a keystroke. */
const SETTLED = 60

export interface News {
  /** Why the newest request failed; after a failed update the previous answer stays. */
  problem: ShallowRef<ApiProblem | null>
  again: () => void
}

/**
 * @param key the request's parameters
 * @param every least time in ms between two requests for updates
 * @param ask sends the request; its signal cancels it
 * @param keep takes the newest answer
 */
export function useNews<T>(
  key: () => string,
  every: number,
  ask: (signal: AbortSignal) => Promise<T>,
  keep: (answer: T) => void,
): News {
  const problem = shallowRef<ApiProblem | null>(null)
  let asked = 0
  let running: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    timer = undefined
    running?.abort()
    const mine = (running = new AbortController())
    asked = performance.now()
    try {
      const answer = await ask(mine.signal)
      if (running !== mine) return
      keep(answer)
      problem.value = null
    } catch (failure) {
      if (running === mine) problem.value = failure as ApiProblem
    }
    if (running === mine) running = null
  }
  function loadIn(delay: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void load(), delay)
  }
  /** After a change: repeats the request once the last one is answered and old enough. */
  function follow(): void {
    if (timer === undefined && !document.hidden)
      loadIn(Math.max(running ? every : 0, asked + every - performance.now()))
  }

  watch(key, () => loadIn(SETTLED))
  onScopeDispose(useHub().listen({ runs: follow }))
  document.addEventListener('visibilitychange', follow)
  onScopeDispose(() => {
    document.removeEventListener('visibilitychange', follow)
    clearTimeout(timer)
    running?.abort()
    running = null
  })
  void load()
  return { problem, again: () => loadIn(0) }
}
