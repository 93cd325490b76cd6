import { describe, expect, it, vi } from 'vitest'

import { api, ask, createApi, pageBase } from './api'

function answering(answer: () => Response): Request[] {
  const asked: Request[] = []
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(request)
    return Promise.resolve().then(answer)
  })
  return asked
}

const refusal = (text: string, status: number) => (): Response => new Response(text, { status })

describe('a request', () => {
  it('asks below the address of the page, with its own cookie', async () => {
    const asked = answering(() => Response.json({ count: 0, results: [] }))
    const below = createApi('http://host:8080/tools/mind')
    expect(await ask(below.GET('/api/runs', { params: { query: { limit: 5, search: 'a b' } } }))).toEqual({
      count: 0,
      results: [],
    })
    expect(asked[0].url).toBe('http://host:8080/tools/mind/api/runs?limit=5&search=a%20b')
    expect(asked[0].credentials).toBe('same-origin')
  })

  it.each([
    ['/', ''],
    ['/tools/mind/', '/tools/mind'],
    ['/tools/mind/index.html', '/tools/mind'],
  ])('of a page at %s goes below "%s"', (path, base) => {
    vi.spyOn(document, 'baseURI', 'get').mockReturnValue(`http://host:8080${path}`)
    expect(pageBase()).toBe(`http://host:8080${base}`)
  })

  it('gives bytes where bytes are asked for', async () => {
    answering(() => new Response(new Uint8Array([1, 2, 3])))
    const bytes = await ask(
      api.GET('/api/scalars/points', { params: { query: { series: '1' } }, parseAs: 'arrayBuffer' }),
    )
    expect([...new Uint8Array(bytes)]).toEqual([1, 2, 3])
  })
})

describe('a failure', () => {
  const failure = (): Promise<unknown> => ask(api.GET('/api/status')).catch((problem: unknown) => problem)

  it('has the code of the answer', async () => {
    answering(refusal('{"code":"wrong_token","message":"No.","detail":{"at":1}}', 403))
    expect(await failure()).toMatchObject({
      name: 'ApiProblem',
      code: 'wrong_token',
      message: 'No.',
      detail: { at: 1 },
      status: 403,
    })
  })

  it.each([
    ['a page of a proxy', refusal('<html>Bad Gateway</html>', 502), 502],
    ['an answer of another shape', refusal('{"error":"no"}', 500), 500],
    ['a code without a message', refusal('{"code":"gone"}', 404), 404],
    ['a message without a code', refusal('{"message":"No."}', 404), 404],
    ['no content', refusal('', 503), 503],
    ['a page in place of JSON', refusal('<html>Log in</html>', 200), 200],
    ['nothing in place of JSON', refusal('', 200), 200],
  ])('is named where the answer is %s', async (_what, answer, status) => {
    answering(answer)
    expect(await failure()).toMatchObject({
      code: 'unexpected_answer',
      message: `The dashboard gave an answer that this page cannot read (HTTP ${status}).`,
      detail: { status },
      status,
    })
  })

  it('of the network is unreachable, also in the middle of an answer', async () => {
    answering(() => {
      throw new TypeError('Failed to fetch')
    })
    expect(await failure()).toMatchObject({
      code: 'unreachable',
      message: 'The dashboard cannot be reached.',
      status: 0,
    })
    answering(() => Object.assign(new Response('{'), { text: () => Promise.reject(new TypeError('network error')) }))
    expect(await failure()).toMatchObject({ code: 'unreachable' })
  })

  it('is none when the asker gave up', async () => {
    const stop = new AbortController()
    answering(() => {
      throw stop.signal.reason as Error
    })
    stop.abort()
    await expect(ask(api.GET('/api/status', { signal: stop.signal }))).rejects.toHaveProperty('name', 'AbortError')
  })
})
