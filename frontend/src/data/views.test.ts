import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { shortLink, useSavedViews, type SavedView } from './views'

const view = (id: string, name: string): SavedView => ({ id, name, page: 'scalars', query: `tag=${id}` }) as SavedView

/** The server's views or refusals, and the requests. */
let held: SavedView[]
let refused: boolean
let asked: [string, string, unknown][]

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const text = await request.text()
  const body = text ? (JSON.parse(text) as Partial<SavedView>) : null
  asked.push([request.method, pathname, body])
  if (refused) return Response.json({ code: 'name_taken', message: 'No.', detail: {} }, { status: 409 })
  if (request.method === 'GET') return Response.json({ views: held })
  if (request.method === 'DELETE') return new Response(null, { status: 204 })
  const id = request.method === 'POST' ? 'made' : (pathname.split('/').at(-1) ?? '')
  return Response.json({ ...held.find((one) => one.id === id), id, ...body })
}

beforeEach(() => {
  setActivePinia(createPinia())
  held = [view('b', 'run 10'), view('c', 'Run 2'), view('a', 'loss')]
  refused = false
  asked = []
  vi.stubGlobal('fetch', answer)
})

const names = (): string[] => useSavedViews().views.map(({ name }) => name)

describe('saved views', () => {
  it('are listed by name, as people count', async () => {
    const views = useSavedViews()
    expect([names(), views.loaded]).toEqual([[], false])
    await views.load()
    expect([names(), views.loaded, views.error]).toEqual([['loss', 'Run 2', 'run 10'], true, null])
    expect(asked).toEqual([['GET', '/api/views', null]])
  })

  it('stay where the dashboard does not answer, which is told', async () => {
    const views = useSavedViews()
    await views.load()
    refused = true
    await views.load()
    expect([names().length, views.error?.code]).toEqual([3, 'name_taken'])
    refused = false
    await views.load()
    expect(views.error).toBeNull()
  })

  it('are not loaded before there was an answer', async () => {
    refused = true
    const views = useSavedViews()
    await views.load()
    expect(views.loaded).toBe(false)
  })

  it('can be made', async () => {
    const views = useSavedViews()
    await views.load()
    const made = await views.save('Mine', { page: 'runs', query: 'q=1' })
    expect(made).toMatchObject({ id: 'made', name: 'Mine', page: 'runs', query: 'q=1' })
    expect(asked.at(-1)).toEqual(['POST', '/api/views', { name: 'Mine', page: 'runs', query: 'q=1' }])
    expect(names()).toEqual(['loss', 'Mine', 'Run 2', 'run 10'])
  })

  it('can be changed, and move to the place of their new name', async () => {
    const views = useSavedViews()
    await views.load()
    await views.change(held[2], { name: 'zeta' })
    expect(asked.at(-1)).toEqual(['PATCH', '/api/views/a', { name: 'zeta' }])
    expect(names()).toEqual(['Run 2', 'run 10', 'zeta'])
  })

  it('can be removed', async () => {
    const views = useSavedViews()
    await views.load()
    await views.remove(held[0])
    expect(asked.at(-1)).toEqual(['DELETE', '/api/views/b', null])
    expect(names()).toEqual(['loss', 'Run 2'])
  })

  it('stay as they are where a change is refused', async () => {
    const views = useSavedViews()
    await views.load()
    refused = true
    const refusal = { code: 'name_taken' }
    await expect(views.save('loss', held[0])).rejects.toMatchObject(refusal)
    await expect(views.change(held[0], { name: 'loss' })).rejects.toMatchObject(refusal)
    await expect(views.remove(held[0])).rejects.toMatchObject(refusal)
    expect(names()).toEqual(['loss', 'Run 2', 'run 10'])
  })

  it('have a short address', () => {
    vi.spyOn(document, 'baseURI', 'get').mockReturnValue('http://host:8080/tools/')
    expect(shortLink(held[0])).toBe('http://host:8080/tools/v/b')
  })
})
