/** Requests to `/api/lineage` about the runs found. Called by the cards. */
import type { Tell } from '../../../data/answer'
import { api, ask } from '../../../data/api'
import { ApiProblem } from '../../../data/types'
import { untilDone, workFailed } from '../../../data/untilDone'
import { useLineage } from '../context'
import { useViewParams } from '../viewParams'
import type { Worked } from './answers'

type Query = Readonly<Record<string, string | number | undefined>>

/** The runs found and the target, as request parameters. */
export function useQuestion(): () => Query {
  const { target, query } = useLineage()
  const { shelf } = useViewParams()
  return () => ({
    target: target.value,
    query: query.value || undefined,
    shelf: shelf.value === 'active' ? undefined : shelf.value,
  })
}

const get = api.GET as unknown as (path: string, options: object) => Promise<{ data?: object; response: Response }>

/** Requests something that the server answers at once. */
export async function askLineage<T>(what: string, query: Query, signal: AbortSignal): Promise<T> {
  return (await ask(get(`/api/lineage/${what}`, { params: { query }, signal }))) as T
}

/**
 * Requests something that a worker has to compute.
 * @param tell receives the progress, 0 to 1, with the result for older values if there is one
 * @throws ApiProblem as `ask` does, and if the work failed
 */
export async function askWorked<T>(what: string, query: Query, signal: AbortSignal, tell: Tell<T>): Promise<T> {
  const last = await untilDone(
    () => askLineage<Worked<T>>(what, query, signal),
    (answer) => {
      if (answer.state === 'failed') throw workFailed(answer.problem)
      if (answer.state !== 'done') tell(answer.progress, answer.result)
      return answer.state === 'done'
    },
    signal,
  )
  if (last.result === null)
    throw new ApiProblem('unexpected_answer', 'The dashboard finished its work and told no result.', {}, 200)
  return last.result
}
