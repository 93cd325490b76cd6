/**
 * Requests that need a worker of the server: repeated at growing intervals until there is an answer. The signal ends
 * them when the page is left. Called by the pages of graphs and of lineage.
 */

import { ApiProblem } from './types'

/** A worker's report of failed work. */
export interface Failure {
  code: string
  message?: string
  detail?: Record<string, unknown>
}

const FIRST_WAIT = 100
const LONGEST_WAIT = 1000

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
 * @param once sends the request
 * @param isDone whether an answer is the last one; may throw for a failure
 * @param signal ends the waiting
 */
export async function untilDone<T>(
  once: () => Promise<T>,
  isDone: (answer: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 1.5)) {
    const answer = await once()
    if (isDone(answer)) return answer
    await pause(wait, signal)
  }
}

/** Whether a failure only means that the request was aborted. */
export const wasLeft = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'AbortError'

/** Failed work as a problem, as if the request had been refused. */
export function workFailed(failure: Failure | null): ApiProblem {
  const { code = 'analysis_failed', message = '', detail = {} } = failure ?? {}
  return new ApiProblem(code, message, detail, 200)
}
