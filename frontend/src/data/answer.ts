/**
 * The answer to a request that changes with the view: only the newest request counts. Called by panels and cards.
 */
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import type { ApiProblem } from './types'
import { wasLeft } from './untilDone'

export interface Answer<T> {
  /** The newest answer. While newer data is requested, the previous one. */
  value: ShallowRef<T | null>
  busy: Ref<boolean>
  /** Progress of the work on the server, 0 to 1; null if it has not started or is unknown. */
  progress: Ref<number | null>
  problem: ShallowRef<ApiProblem | null>
  retry(): void
}

/** Called with the progress, 0 to 1, and with the result of older data if there is one. */
export type Tell<T> = (progress: number, older: T | null) => void

/**
 * @param key the parameters of the request: a different key drops the old answer; null sends no request
 * @param question sends the request; its signal aborts it
 * @param version version of the data: a newer one repeats the request, and the old answer is kept until then
 */
export function useAnswer<T>(
  key: () => string | null,
  question: (signal: AbortSignal, tell: Tell<T>) => Promise<T>,
  version: () => unknown = () => null,
): Answer<T> {
  const value = shallowRef<T | null>(null)
  const busy = ref(false)
  const progress = ref<number | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  let asking = new AbortController()

  async function put(keep: boolean): Promise<void> {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    if (!keep) value.value = null
    problem.value = progress.value = null
    busy.value = key() !== null
    if (!busy.value) return
    try {
      const answer = await question(signal, (now, older) => {
        progress.value = now
        value.value ??= older
      })
      if (!signal.aborted) value.value = answer
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) problem.value = cause as ApiProblem
    }
    if (!signal.aborted) busy.value = false
  }
  watch([key, version], ([now], [before]) => void put(now === before), { immediate: true })
  onScopeDispose(() => asking.abort())
  return { value, busy, progress, problem, retry: () => void put(true) }
}
