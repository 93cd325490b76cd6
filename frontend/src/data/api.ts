/**
 * Requests to the dashboard's HTTP API. Paths, parameters and answers are checked against the server's schema. Every
 * failure becomes an ApiProblem, including a lost network, so that callers have one kind of failure to show: `await
 * ask(api.GET('/api/runs', { params: { query: { limit: 10 } } }))`.
 */
import createClient, { type Client } from 'openapi-fetch'

import { takeAhead } from './ahead'
import type { paths } from './schema'
import { ApiProblem } from './types'

/** The folder of the page (including `--url-path-prefix`), without a trailing slash. */
export function pageBase(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '')
}

/** A client of the API below an address. */
export function createApi(baseUrl: string): Client<paths> {
  // Looked up with each request, so that a replaced global function is used.
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

/** The API's shape of errors. A proxy in front of it may answer in another form. */
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
 * Waits for an answer with its headers.
 * @throws ApiProblem like `ask`
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
 * Waits for a request whose answer has no content.
 * @throws ApiProblem like `ask`
 */
export async function tell(request: Promise<Answer>): Promise<void> {
  await answered(request)
}

/**
 * Waits for an answer of the client.
 * @throws ApiProblem if the API refuses, cannot be reached, or something else answers; an abort is passed on unchanged
 */
export async function ask<T extends Answer>(request: Promise<T>): Promise<NonNullable<T['data']>> {
  const answer = await answered(request)
  if (answer.data === undefined || answer.data === null) throw unexpected(answer.response.status)
  return answer.data
}
