/** Questions about the runs that the page has found, to `/api/lineage`. Called by the cards. */
import type { Tell } from '../../../data/answer'
import { api, ask } from '../../../data/api'
import { ApiProblem } from '../../../data/types'
import { untilDone, workFailed } from '../../../data/untilDone'
import { useLineage } from '../context'
import { useViewParams } from '../viewParams'
import type { Worked } from './answers'

type Query = Readonly<Record<string, string | number | undefined>>

/** The runs that the page has found, and what is aimed at, as questions name them. */
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
