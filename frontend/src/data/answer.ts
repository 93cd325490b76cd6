/**
 * The answer to a question that changes with what is looked at: the newest question only, with its failure. Called by
 * panels and cards.
 */
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import type { ApiProblem } from './types'
import { wasLeft } from './untilDone'

export interface Answer<T> {
  /** The newest answer; while newer data are asked about, the one before. */
  value: ShallowRef<T | null>
  busy: Ref<boolean>
  /** Of the work on the server, 0 to 1; null while it has not begun, or where none is told. */
  progress: Ref<number | null>
  problem: ShallowRef<ApiProblem | null>
  retry(): void
}

/** Is told how far the work is, 0 to 1, with the result of older data where there is one. */
export type Tell<T> = (progress: number, older: T | null) => void

/**
 * @param key what the question depends on: with another one the old answer is dropped; null asks nothing
 * @param question asks it; its signal ends it
 * @param version of the data it is about: with a newer one it is asked again, and the old answer is kept until then
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
