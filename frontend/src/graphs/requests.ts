/**
 * Questions about a graph. While the server still analyses it, a question is asked again until there is an answer;
 * whoever leaves ends that with the signal. Used by the page's parts.
 */
import { ask, api } from '../data/api'
import { untilDone, workFailed, type Failure } from '../data/untilDone'

type Query = Readonly<Record<string, string | number | undefined>>

/** How a graph is looked at. */
export interface Asked {
  graph: string
  equivalence: string
}

interface Unfinished {
  state: 'waiting' | 'running' | 'failed'
  progress: number
  error: Failure | null
}

const isUnfinished = (answer: object): answer is Unfinished =>
  'progress' in answer && 'state' in answer && (answer as { state: string }).state !== 'done'

/**
 * @param what the last part of the address: `inside`
 * @param signal ends the question
 * @param tell is told how far the analysis is, 0 to 1, while it runs
 * @throws ApiProblem as `ask` does, and for an analysis that failed
 */
export async function askGraph<T extends object>(
  what: string,
  query: Query,
  signal: AbortSignal,
  tell?: (progress: number) => void,
): Promise<T> {
  const get = api.GET as unknown as (
    path: string,
    options: object,
  ) => Promise<{ data?: T | Unfinished; error?: unknown; response: Response }>
  const once = (): Promise<T | Unfinished> =>
    ask(get(`/api/graphs/${what}`, { params: { query }, signal })) as Promise<T | Unfinished>
  return (await untilDone(
    once,
    (answer) => {
      if (!isUnfinished(answer)) return true
      if (answer.state === 'failed') throw workFailed(answer.error)
      tell?.(answer.progress)
      return false
    },
    signal,
  )) as T
}
