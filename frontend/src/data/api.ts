/**
 * Requests to the dashboard's HTTP API: paths, parameters and answers are checked against the server's schema.
 * Every failure becomes an ApiProblem, a lost network too, so that callers have one kind of failure to show:
 * `await ask(api.GET('/api/runs', { params: { query: { limit: 10 } } }))`.
 */
import createClient, { type Client } from 'openapi-fetch'

import { takeAhead } from './ahead'
import type { paths } from './schema'
import { ApiProblem } from './types'

/** The folder that the page lies in (`--url-path-prefix` included), without a slash at its end. */
export function pageBase(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '')
}

/** A client of the API below an address. */
export function createApi(baseUrl: string): Client<paths> {
  // Looked up with each request: whoever replaces the global one is heard.
  return createClient<paths>({
    baseUrl,
    credentials: 'same-origin',
    fetch: (request) => takeAhead(request) ?? globalThis.fetch(request),
  })
}

export const api = createApi(pageBase())

interface Answer {
  data?: unknown
  error?: unknown
  response: Response
}

/** The error's shape as the API promises it; what stands before it (a proxy) knows nothing of it. */
function refusal({ error, response }: Answer): ApiProblem {
  const { code, message, detail } = (error instanceof Object ? error : {}) as Partial<ApiProblem>
  if (typeof code === 'string' && typeof message === 'string') {
    return new ApiProblem(code, message, detail ?? {}, response.status)
  }
  return unexpected(response.status)
}

function unexpected(status: number): ApiProblem {
  return new ApiProblem(
    'unexpected_answer',
    `The dashboard gave an answer that this page cannot read (HTTP ${status}).`,
    { status },
    status,
  )
}

/**
 * Waits for an answer with its head.
 * @throws ApiProblem as `ask` does
 */
export async function answered<T extends Answer>(request: Promise<T>): Promise<T> {
  let answer: T
  try {
    answer = await request
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    if (cause instanceof SyntaxError) throw unexpected(200)
    throw new ApiProblem('unreachable', 'The dashboard cannot be reached.', {}, 0)
  }
  if (!answer.response.ok) throw refusal(answer)
  return answer
}

/**
 * Waits for an order to be taken, whose answer has nothing in it.
 * @throws ApiProblem as `ask` does
 */
export async function tell(request: Promise<Answer>): Promise<void> {
  await answered(request)
}

/**
 * Waits for an answer of the client.
 * @throws ApiProblem when the API refuses, cannot be reached, or is not what answered; an abort is passed on as it is
 */
export async function ask<T extends Answer>(request: Promise<T>): Promise<NonNullable<T['data']>> {
  const answer = await answered(request)
  if (answer.data === undefined || answer.data === null) throw unexpected(answer.response.status)
  return answer.data
}
