/**
 * Questions about a graph. While the server still analyses it, a question is asked again until there is an answer;
 * whoever leaves ends that with the signal. Used by the page's parts.
 */
import { ask, api } from '../../data/api'
import { ApiProblem } from '../../data/types'

type Query = Readonly<Record<string, string | number | undefined>>

/** How a graph is looked at. */
export interface Asked {
  graph: string
  equivalence: string
}

interface Unfinished {
  state: 'waiting' | 'running' | 'failed'
  progress: number
  error: { code: string; message?: string; detail?: Record<string, unknown> } | null
}

const FIRST_WAIT = 100
const LONGEST_WAIT = 1000

const isUnfinished = (answer: object): answer is Unfinished => 'progress' in answer && 'state' in answer && (answer as { state: string }).state !== 'done'

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(new DOMException('left', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', end, { once: true })
  })
}

/**
 * @param what the last part of the address: `inside`
 * @param signal ends the question
 * @param tell is told how far the analysis is, 0 to 1, while it runs
 * @throws ApiProblem as `ask` does, and for an analysis that failed
 */
export async function askGraph<T extends object>(what: string, query: Query, signal: AbortSignal, tell?: (progress: number) => void): Promise<T> {
  const get = api.GET as unknown as (path: string, options: object) => Promise<{ data?: T | Unfinished; error?: unknown; response: Response }>
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 1.5)) {
    const answer = await ask(get(`/api/graphs/${what}`, { params: { query }, signal }))
    if (!isUnfinished(answer)) return answer as T
    if (answer.state === 'failed') {
      const { code = 'analysis_failed', message = '', detail = {} } = answer.error ?? {}
      throw new ApiProblem(code, message, detail, 200)
    }
    tell?.(answer.progress)
    await pause(wait, signal)
  }
}

/** Whether a failure is nobody's: the question was ended. */
export const wasLeft = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'AbortError'
