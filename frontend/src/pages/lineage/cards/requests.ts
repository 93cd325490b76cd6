/** Questions about the runs that the page has found, to `/api/lineage`. Called by the cards. */
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../../../data/api'
import { ApiProblem } from '../../../data/types'
import { untilDone, wasLeft } from '../../../data/untilDone'
import { useLineage } from '../context'
import { useViewParams } from '../viewParams'
import type { Worked } from './answers'

type Query = Readonly<Record<string, string | number | undefined>>

/** The runs that the page has found, and what is aimed at, as questions name them. */
export function useQuestion(): () => Query {
  const { target, query } = useLineage()
  const { shelf } = useViewParams()
  return () => ({ target: target.value, query: query.value || undefined, shelf: shelf.value === 'active' ? undefined : shelf.value })
}

const get = api.GET as unknown as (path: string, options: object) => Promise<{ data?: object; response: Response }>

type Tell<T> = (progress: number, older: T | null) => void

/** Asks for what is there at once. */
export async function askLineage<T>(what: string, query: Query, signal: AbortSignal): Promise<T> {
  return (await ask(get(`/api/lineage/${what}`, { params: { query }, signal }))) as T
}

/**
 * Asks for what a worker has to work out.
 * @param tell is told how far it is, 0 to 1, with the result of older values where there is one
 * @throws ApiProblem as `ask` does, and for work that failed
 */
export async function askWorked<T>(what: string, query: Query, signal: AbortSignal, tell: Tell<T>): Promise<T> {
  const last = await untilDone(() => askLineage<Worked<T>>(what, query, signal), (answer) => {
    if (answer.state === 'failed') {
      const { code = 'analysis_failed', message = '', detail = {} } = answer.problem ?? {}
      throw new ApiProblem(code, message, detail, 200)
    }
    if (answer.state !== 'done') tell(answer.progress, answer.result)
    return answer.state === 'done'
  }, signal)
  if (last.result === null) throw new ApiProblem('unexpected_answer', 'The dashboard finished its work and told no result.', {}, 200)
  return last.result
}

export interface Followed<T> {
  /** The newest answer; while another one is on its way, the one before. */
  value: ShallowRef<T | null>
  busy: Ref<boolean>
  /** Of the work on the server, 0 to 1; null while it has not begun. */
  progress: Ref<number | null>
  problem: ShallowRef<ApiProblem | null>
  retry(): void
}

/**
 * The answer to a question that changes with what is looked at.
 * @param key what the question is about: with another one the old answer is dropped; null asks nothing
 * @param version of the data it is about: with a newer one it is asked again, and the old answer is kept until then
 */
export function useFollowed<T>(key: () => string | null, version: () => unknown, question: (signal: AbortSignal, tell: Tell<T>) => Promise<T>): Followed<T> {
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
