import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { useRuns } from './runs'
import { useTrash } from './trash'
import { fakeServer, wireRun } from '../testing/server'

const asked: [string, string, unknown][] = []
const [a, b] = [wireRun(1).id, wireRun(2).id]

/** Two runs, and a server that accepts every request, or answers with this status. */
async function twoRuns(status = 204): Promise<ReturnType<typeof useRuns>> {
  const server = fakeServer()
  server.runs = [wireRun(1), wireRun(2)]
  const runs = useRuns()
  await runs.load()
  const usual = globalThis.fetch
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/api/runs/trash')) return usual(request)
    const body: unknown = request.method === 'POST' ? await request.json() : null
    asked.push([request.method, pathname, body])
    if (request.method === 'GET') return Response.json({ runs: [], bytes: 7 })
    return status === 204
      ? new Response(null, { status })
      : Response.json({ code: 'read_only', message: 'No.', detail: {} }, { status })
  })
  return runs
}

beforeEach(() => {
  setActivePinia(createPinia())
  asked.length = 0
})

describe('the trash', () => {
  it('takes runs out of the list, and gives them back', async () => {
    const runs = await twoRuns()
    const { put, restore } = useTrash()
    const chosen = runs.rows.filter(({ number }) => number === 1)
    await put(chosen)
    expect(asked).toEqual([['POST', '/api/runs/trash', { runs: [a] }]])
    expect(runs.rows.map(({ number }) => number)).toEqual([2])
    await restore(chosen)
    expect(asked.slice(1)).toEqual([['POST', '/api/runs/trash/restore', { runs: [a] }]])
    expect(runs.rows.map(({ number }) => number)).toEqual([2, 1])
  })

  it('leaves runs where they are when the server refuses', async () => {
    const runs = await twoRuns(403)
    await expect(useTrash().put(runs.rows)).rejects.toMatchObject({ code: 'read_only' })
    expect(runs.rows.length).toBe(2)
  })

  it('is looked into, and emptied', async () => {
    await twoRuns()
    const { contents, purge } = useTrash()
    expect(await contents()).toEqual({ runs: [], bytes: 7 })
    await purge([{ id: a }, { id: b }])
    expect(asked).toEqual([
      ['GET', '/api/runs/trash', null],
      ['POST', '/api/runs/trash/purge', { runs: [a, b] }],
    ])
  })
})
