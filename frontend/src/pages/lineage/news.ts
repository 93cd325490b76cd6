/**
 * Keeps an answer about runs current while its component lives: the live connection tells that something changed, and
 * the server is asked again, the newest question only. Called by the table and by the input pipelines.
 */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { useHub } from '../../data/live/hub'
import type { ApiProblem } from '../../data/types'

/** A keystroke waits so long for the next. */
const SETTLED = 60

export interface News {
  /** Why the newest question has no answer; what is held stays where only news could not be had. */
  problem: ShallowRef<ApiProblem | null>
  again: () => void
}

/**
 * @param key what the question depends on
 * @param every no two questions within so many milliseconds where only news are asked for
 * @param ask asks; its signal ends it
 * @param keep takes an answer that is still wanted
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
  /** Something changed: asks when the last question is old enough and answered. */
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
