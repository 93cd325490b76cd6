import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { shallowRef } from 'vue'

import { AT_ONCE, useKnownSeries, type KnownSeries } from './knownSeries'
import { seriesRow } from '../rows'
import { seriesColumns } from '../testing/seriesColumns'
import { wireSeries } from '../testing/server'
import type { ApiProblem, SeriesRow } from '../types'

const error = shallowRef<ApiProblem | null>(null)
let known: KnownSeries
/** The server's series, the version of that state, and the requests. */
let held: ReturnType<typeof wireSeries>[]
let version: string | null
let lost: boolean
let asked: string[]

const row = (run: number, series: number, segment = 0): SeriesRow =>
  seriesRow('loss', wireSeries(run, series, { segment }))
const numbers = (): number[] => known.face.series.value.map(({ series }) => series)

beforeEach(() => {
  error.value = null
  known = useKnownSeries(error)
  held = [wireSeries(1, 11), wireSeries(2, 21)]
  version = '"a"'
  lost = false
  asked = []
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(new URL(request.url).search)
    if (lost) return Promise.reject(new TypeError('lost'))
    const answer = Response.json(seriesColumns({ tags: [{ name: 'loss', series: held }] }))
    if (version) answer.headers.set('ETag', version)
    return Promise.resolve(answer)
  })
})

describe('the set of series', () => {
  it('changes when one comes or moves to another segment, not with its points', () => {
    const { series, seriesSet, seriesOf, allSeries } = known.face
    expect(series.value).toEqual([])
    known.put([row(1, 11), row(1, 12)])
    expect(seriesSet.value).toBe(1)
    known.put([row(1, 11)])
    expect(seriesSet.value).toBe(1)
    // A new one among the known ones.
    known.put([row(1, 11), row(1, 13)])
    expect(seriesSet.value).toBe(2)
    known.put([row(1, 11, 1)])
    expect([seriesSet.value, seriesOf(11)?.segment]).toEqual([3, 1])
    expect(numbers()).toEqual([11, 12, 13])
    expect([...allSeries()]).toEqual(series.value)
  })

  it('changes when one goes, and only then', () => {
    const { series, seriesSet } = known.face
    known.put([row(1, 11), row(2, 21)])
    const before = series.value
    known.put([])
    known.drop(({ run }) => run === 3)
    expect([series.value === before, seriesSet.value]).toEqual([true, 1])
    known.drop(({ run }) => run === 1)
    expect([numbers(), seriesSet.value]).toEqual([[21], 2])
  })
})

describe('loading', () => {
  it('asks for nothing where no run is wanted', async () => {
    expect(known.face.seriesLoaded.value).toBe(false)
    await known.load([])
    expect([known.face.seriesLoaded.value, asked]).toEqual([true, []])
  })

  it('leaves what did not change since, in whatever order the runs come', async () => {
    await known.load([10, 9, 1])
    const before = known.face.series.value
    held = [wireSeries(1, 99)]
    await known.load([1, 10, 9])
    expect(known.face.series.value).toBe(before)
    expect(error.value).toBeNull()
    held = [wireSeries(1, 14)]
    version = '"b"'
    await known.load([1, 9, 10])
    expect(numbers()).toEqual([11, 21, 14])
  })

  it('takes an answer about other runs even if it has the same name', async () => {
    await known.load([1])
    held = [wireSeries(3, 31)]
    await known.load([3])
    expect(numbers()).toEqual([11, 21, 31])
  })

  it.each(['drop', 'forget'])('takes the same answer again after series went by %s', async (way) => {
    await known.load([1, 2])
    if (way === 'drop') known.drop(({ run }) => run === 2)
    else known.forget()
    expect(numbers()).toEqual(way === 'drop' ? [11] : [])
    expect([...known.asked]).toEqual(way === 'drop' ? [1, 2] : [])
    await known.load([1, 2])
    expect(numbers()).toEqual([11, 21])
  })

  it('says what failed, and knows that nothing is known', async () => {
    lost = true
    await known.load([1, 2])
    expect([error.value?.code, known.asked.size, known.face.seriesLoaded.value]).toEqual(['unreachable', 0, true])
    lost = false
    await known.load([1, 2])
    expect([error.value, [...known.asked]]).toEqual([null, [1, 2]])
  })

  it.each([AT_ONCE, AT_ONCE + 1])('of %i rows shows all of them', async (count) => {
    held = Array.from({ length: count }, (_, at) => wireSeries(1, at))
    await known.load([1])
    expect(numbers().length).toBe(count)
    known.forget()
    await known.loadAhead('all')
    expect([numbers().length, [...known.asked]]).toEqual([count, [1]])
  })
})

describe('very many rows', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    return () => vi.useRealTimers()
  })

  it.each([
    [AT_ONCE, true],
    [AT_ONCE + 1, false],
  ])('are put up after what else there is to do: of %i rows at once? %s', async (count, atOnce) => {
    held = Array.from({ length: count }, (_, at) => wireSeries(1, at))
    const loading = known.load([1])
    await flushPromises()
    expect(numbers().length).toBe(atOnce ? count : 0)
    vi.runAllTimers()
    await loading
    expect(numbers().length).toBe(count)
  })

  it.each([
    [AT_ONCE, true],
    [AT_ONCE + 1, false],
  ])('that were asked for ahead, too, and count as loaded after that: of %i at once? %s', async (count, atOnce) => {
    held = Array.from({ length: count }, (_, at) => wireSeries(1, at))
    const loading = known.loadAhead('all')
    const state = async (): Promise<[number, boolean]> => {
      await flushPromises()
      return [numbers().length, known.face.seriesLoaded.value]
    }
    expect(await state()).toEqual(atOnce ? [count, true] : [0, false])
    vi.runAllTimers()
    expect(await state()).toEqual([count, atOnce])
    vi.runAllTimers()
    await loading
    expect(await state()).toEqual([count, true])
  })
})

describe('loading ahead', () => {
  it('covers the runs that have series, which need not be asked for again', async () => {
    await known.loadAhead('standard')
    expect([asked, numbers(), [...known.asked]]).toEqual([['?standard=true'], [11, 21], [1, 2]])
    expect(known.face.seriesLoaded.value).toBe(true)
    const before = known.face.series.value
    held = [wireSeries(1, 99)]
    await known.load([2, 1])
    expect(known.face.series.value).toBe(before)
  })

  it('without an answer says nothing of what is there', async () => {
    held = []
    await known.loadAhead('all')
    expect(known.face.seriesLoaded.value).toBe(false)
  })
})
