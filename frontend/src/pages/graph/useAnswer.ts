/** The answer to a question that changes with what is looked at: the newest question only, with its failure. Called by panels. */
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import type { ApiProblem } from '../../data/types'
import { wasLeft } from './requests'

export interface Answer<T> {
  value: ShallowRef<T | null>
  busy: Ref<boolean>
  problem: ShallowRef<ApiProblem | null>
  retry(): void
}

/**
 * @param key what the question depends on; null asks nothing
 * @param question asks it; its signal ends it
 */
export function useAnswer<T>(key: () => string | null, question: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const value = shallowRef<T | null>(null)
  const busy = ref(false)
  const problem = shallowRef<ApiProblem | null>(null)
  let asking = new AbortController()

  async function put(): Promise<void> {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    value.value = problem.value = null
    busy.value = key() !== null
    if (!busy.value) return
    try {
      const answer = await question(signal)
      if (!signal.aborted) value.value = answer
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) problem.value = cause as ApiProblem
    }
    if (!signal.aborted) busy.value = false
  }
  watch(key, () => void put(), { immediate: true })
  onScopeDispose(() => asking.abort())
  return { value, busy, problem, retry: () => void put() }
}
