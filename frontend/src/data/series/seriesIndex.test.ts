import { describe, expect, it, vi } from 'vitest'

import { fetchAhead, fetchSeries, rowsOfColumns, type WireSeriesColumns } from './seriesIndex'

const COLUMNS: WireSeriesColumns = {
  names: ['acc', 'loss'],
  tag: [1, 0],
  run: [7, 8],
  series: [71, 81],
  segment: [0, 2],
  count: [5, 6],
  first_step: [0, null],
  last_step: [4, null],
  first_wall: [1000, null],
  last_wall: [1004, null],
  last_value: [0, null],
  min: [-1, null],
  max: [3, null],
  not_finite: [0, 6],
}
const ROWS = [
  {
    ...{ run: 7, series: 71, segment: 0, name: 'loss', count: 5, firstStep: 0, lastStep: 4 },
    ...{ firstWall: 1000, lastWall: 1004, lastValue: 0, min: -1, max: 3, notFinite: 0 },
  },
  {
    ...{ run: 8, series: 81, segment: 2, name: 'acc', count: 6, firstStep: null, lastStep: null },
    ...{ firstWall: null, lastWall: null, lastValue: NaN, min: NaN, max: NaN, notFinite: 6 },
  },
]

/** Answers every request with the columns of a state, and records the requests. */
function serve(version: string | null): string[] {
  const asked: string[] = []
  vi.stubGlobal('fetch', ({ url }: Request) => {
    asked.push(decodeURIComponent(url.replace(/.*\/api\//, '')))
    return Promise.resolve(Response.json(COLUMNS, { headers: version === null ? {} : { ETag: version } }))
  })
  return asked
}

it('rows have all that the columns say', () => {
  expect(rowsOfColumns(COLUMNS)).toEqual(ROWS)
})

describe('the series of runs', () => {
  it('are asked for by the numbers of the runs', async () => {
    const asked = serve('"a"')
    expect(await fetchSeries([7, 8])).toEqual({ rows: ROWS, version: '"a"' })
    expect(asked).toEqual(['scalars/series?runs=7,8'])
  })

  it('are null where nothing changed since', async () => {
    serve('"a"')
    expect(await fetchSeries([7], '"a"')).toBeNull()
    expect(await fetchSeries([7], '"b"')).toEqual({ rows: ROWS, version: '"a"' })
  })

  it('come where the server names no state', async () => {
    serve(null)
    expect(await fetchSeries([7], null)).toEqual({ rows: ROWS, version: null })
  })

  it.each([
    [500, true],
    [501, false],
  ])('of %i runs are asked for by name: %s', async (count, named) => {
    const asked = serve(null)
    const runs = Array.from({ length: count }, (_, at) => at)
    await fetchSeries(runs)
    expect(asked).toEqual([named ? `scalars/series?runs=${runs.join()}` : 'scalars/series'])
  })
})

it.each([
  ['standard', 'scalars/series?standard=true'],
  ['all', 'scalars/series'],
] as const)('ahead those of %s runs are asked for as the document does', async (of, question) => {
  const asked = serve('"a"')
  expect(await fetchAhead(of)).toEqual({ rows: ROWS, version: '"a"' })
  expect(asked).toEqual([question])
})
