/**
 * Requests about a graph. While the server still analyses it, a request is repeated until there is an answer. The
 * signal ends this when the page is left. Used by the page's parts.
 */
import { ask, api } from '../data/api'
import { untilDone, workFailed, type Failure } from '../data/untilDone'

type Query = Readonly<Record<string, string | number | undefined>>

/** The parameters that identify a graph and its analysis. */
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
 * @param what the last part of the address, such as `inside`
 * @param signal aborts the request
 * @param tell called with the progress of the analysis, 0 to 1
 * @throws ApiProblem like `ask`, and for a failed analysis
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
