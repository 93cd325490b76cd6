import { beforeEach, describe, expect, it } from 'vitest'

import { ViewRequests, type View } from './viewRequests'
import { encodeFrame } from '../testing/frames'
import { fakeServer, settle, type FakeServer } from '../testing/server'

const PATH = '/api/scalars/points'
const WHOLE: View = { width: 600, range: null, smoothing: 0 }
let server: FakeServer
let views: ViewRequests

const asked = (): string[] => server.asked.map(({ search }) => decodeURIComponent(search))

beforeEach(() => {
  server = fakeServer()
  views = new ViewRequests()
  for (const series of [1, 2, 3]) server.points.set(series, [series])
})

describe('views of one tick', () => {
  it('are asked for together where they are looked at alike', async () => {
    const found = await Promise.all([1, 2, 1].map((series) => views.get(series, { ...WHOLE })))
    expect(asked()).toEqual(['?series=1,2&width=600'])
    expect(found.map(({ series, value }) => [series, [...value]])).toEqual([
      [1, [1]],
      [2, [2]],
      [1, [1]],
    ])
    await views.get(3, WHOLE)
    expect(asked().slice(1)).toEqual(['?series=3&width=600'])
  })

  it('are asked for apart where they are not', async () => {
    const range = { from: 10, to: 20 }
    const ways: Partial<View>[] = [
      {},
      { width: 300 },
      { range },
      { range: { ...range, from: 11 } },
      { range: { ...range, to: 21 } },
      { smoothing: 0.9 },
    ]
    await Promise.all(ways.map((way) => views.get(1, { ...WHOLE, ...way })))
    expect(asked()).toEqual([
      '?series=1&width=600',
      '?series=1&width=300',
      '?series=1&width=600&from=10&to=20',
      '?series=1&width=600&from=11&to=20',
      '?series=1&width=600&from=10&to=21',
      '?series=1&width=600&smoothing=0.9',
    ])
  })

  it('are asked for in parts where they are many', async () => {
    const many = Array.from({ length: 401 }, (_, at) => at + 1)
    for (const series of many) server.points.set(series, [series])
    const found = await Promise.all(many.map((series) => views.get(series, WHOLE)))
    expect(found.map(({ series }) => series)).toEqual(many)
    expect(server.asked.map(({ searchParams }) => searchParams.get('series')?.split(',').length)).toEqual([200, 200, 1])
  })
})

describe('a refusal', () => {
  /** The code of each answer, or its series. */
  const outcomes = async (...series: number[]): Promise<unknown[]> => {
    const all = await Promise.allSettled(series.map((one) => views.get(one, WHOLE)))
    return all.map((one) => (one.status === 'fulfilled' ? one.value.series : (one.reason as { code: string }).code))
  }

  it('of series that are gone leaves the others', async () => {
    expect(await outcomes(1, 77, 2, 78)).toEqual([1, 'unknown_series', 2, 'unknown_series'])
    expect(asked().map((search) => search.split('&')[0])).toEqual([
      '?series=1,77,2,78',
      '?series=1,2,78',
      '?series=1,2',
    ])
  })

  it('of the only series is the end', async () => {
    expect(await outcomes(77)).toEqual(['unknown_series'])
    await settle()
    expect(asked().length).toBe(1)
  })

  it.each([
    ['that names no series', { code: 'unknown_series', message: '', detail: {} }],
    ['of another kind', { code: 'bad_width', message: '', detail: { series: 1 } }],
  ])('%s holds for all', async (_what, body) => {
    server.refusals.set(PATH, { status: 400, body })
    expect(await outcomes(1, 2)).toEqual([body.code, body.code])
    expect(asked().length).toBe(1)
  })
})

describe('an answer', () => {
  it('without one of the series is a problem of that one', async () => {
    server.views.set(2, new ArrayBuffer(0))
    const [one, two] = [views.get(1, WHOLE), views.get(2, WHOLE)]
    await expect(two).rejects.toMatchObject({
      code: 'unknown_series',
      message: 'The answer holds no series 2.',
      detail: { series: 2 },
      status: 200,
    })
    expect((await one).series).toBe(1)
  })

  it('that cannot be read says where', async () => {
    server.views.set(2, encodeFrame({ series: 2, value: [1, 2] }).slice(0, 50))
    await expect(views.get(2, WHOLE)).rejects.toMatchObject({ code: 'bad_frame', detail: { offset: 0 }, status: 200 })
  })
})
