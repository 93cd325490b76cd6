import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'

import { useConnection } from '../live/connection'
import { useCursor } from './cursor'
import { createHub, setHub } from '../live/hub'
import { marksOf } from '../rows'
import { useRuns } from './runs'
import { FakeSocket } from '../testing/socket'
import { fakeServer, settle, wireRun, wireSeries, type FakeServer } from '../testing/server'

let server: FakeServer
/** Idle work: it never runs by itself, least of all in a later test. */
let putOff: (() => void)[]

beforeEach(() => {
  putOff = []
  vi.stubGlobal('requestIdleCallback', (work: () => void) => putOff.push(work))
  server = fakeServer()
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
})
afterEach(() => setHub(null))

async function loaded(count: number): Promise<ReturnType<typeof useRuns>> {
  server.runs = Array.from({ length: count }, (_, at) => wireRun(at + 1))
  const runs = useRuns()
  await runs.load()
  return runs
}

describe('runs', () => {
  it('come newest first, all visible up to twenty', async () => {
    const runs = await loaded(10)
    expect(runs.rows.map((row) => row.number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(runs.visible.size).toBe(10)
  })

  it('show the newest twenty of more', async () => {
    const runs = await loaded(22)
    expect([runs.visible.size, runs.isVisible(22), runs.isVisible(3), runs.isVisible(2)]).toEqual([
      20,
      true,
      true,
      false,
    ])
  })

  it('of the archive are listed and drawn nowhere, but known', async () => {
    const runs = await loaded(3)
    runs.choose([1, 2])
    const row = runs.byNumber.get(2)
    const marks = {
      version: 1,
      tags: [],
      colour: null,
      note: '',
      pinned: false,
      archived: true,
      icon: 0,
      hidden: false,
      baseline: false,
      display_name: '',
      changed: 1,
    }
    if (row) runs.putMarks({ [row.id]: marks })
    expect(runs.rows.map((one) => one.number)).toEqual([3, 1])
    expect([...runs.visible]).toEqual([1])
    expect(runs.byNumber.get(2)?.marks.archived).toBe(true)
  })

  it('have one baseline at most, and the colour that a person chose', async () => {
    const runs = await loaded(2)
    const marks = {
      version: 1,
      tags: [],
      colour: 6,
      note: '',
      pinned: false,
      archived: false,
      icon: 0,
      hidden: false,
      baseline: true,
      display_name: '',
      changed: 1,
    }
    const [second, first] = runs.rows
    runs.putMarks({ [first.id]: marks })
    expect(runs.baseline?.number).toBe(1)
    expect(runs.colourOf(1)).toBe('var(--run-7)')
    runs.putMarks({ [second.id]: { ...marks, colour: null } })
    expect(runs.baseline?.number).toBe(2)
    expect(runs.byNumber.get(1)?.marks.baseline).toBe(false)
    runs.putMarks({ [first.id]: { ...marks, colour: null, baseline: false } })
    expect(runs.byNumber.get(1)?.colour).toBe(runs.byNumber.get(1)?.ownColour)
  })

  it('become visible as they come, unless somebody has chosen', async () => {
    const runs = await loaded(2)
    useConnection()
    FakeSocket.last.hello()
    FakeSocket.last.say({ type: 'runs', complete: false, runs: [wireRun(3)], removed: [], series: [] })
    expect(runs.isVisible(3)).toBe(true)
    runs.toggle(1)
    FakeSocket.last.say({ type: 'runs', complete: false, runs: [wireRun(4)], removed: [2], series: [] })
    expect(runs.rows.map((row) => row.number)).toEqual([4, 3, 1])
    expect([runs.isVisible(4), runs.isVisible(1), runs.isVisible(3)]).toEqual([false, false, true])
    runs.only(4)
    expect([...runs.visible]).toEqual([4])
    runs.showAll()
    expect(runs.visible.size).toBe(3)
  })

  it('are replaced by a complete list', async () => {
    const runs = await loaded(3)
    useConnection()
    FakeSocket.last.hello()
    FakeSocket.last.say({ type: 'runs', complete: true, runs: [wireRun(2)], removed: [], series: [] })
    expect(runs.rows.map((row) => row.number)).toEqual([2])
  })

  it('are asked about their series once more when there is time after a complete list', async () => {
    await loaded(2)
    useConnection()
    FakeSocket.last.hello()
    FakeSocket.last.say({
      type: 'runs',
      complete: true,
      runs: [1, 2].map((one) => wireRun(one)),
      removed: [],
      series: [],
    })
    await settle()
    const asked = (): number => server.asked.filter(({ pathname }) => pathname === '/api/scalars/series').length
    const before = asked()
    for (const work of putOff) work()
    await settle()
    expect([putOff.length, asked() - before]).toEqual([1, 1])
  })

  it('that did not change are the same rows as before', async () => {
    const runs = await loaded(2)
    const [second, first] = runs.rows
    server.runs = [wireRun(1), wireRun(2, { last_step: 777 })]
    await runs.load()
    expect(runs.byNumber.get(1)).toBe(first)
    expect([runs.byNumber.get(2) === second, runs.byNumber.get(2)?.lastStep]).toEqual([false, 777])
  })

  it('that have not begun come first, those that began together by their numbers', async () => {
    server.runs = [
      wireRun(1, { first_wall: 50 }),
      wireRun(2, { first_wall: null }),
      wireRun(3, { first_wall: 50 }),
      wireRun(4, { first_wall: 60 }),
    ]
    const runs = useRuns()
    await runs.load()
    expect(runs.rows.map((row) => row.number)).toEqual([2, 4, 3, 1])
  })

  it('keep the baseline while marks of others change', async () => {
    const runs = await loaded(3)
    const marks = { ...marksOf(null), tags: [], display_name: '', changed: 1 }
    const id = (number: number): string => runs.byNumber.get(number)?.id ?? ''
    runs.putMarks({ [id(1)]: { ...marks, baseline: true } })
    runs.putMarks({ [id(2)]: { ...marks, note: 'x' } })
    const third = runs.byNumber.get(3)
    expect(runs.baseline?.number).toBe(1)
    runs.putMarks({ [id(1)]: { ...marks, baseline: true }, [id(2)]: marks })
    expect([runs.baseline?.number, runs.byNumber.get(3) === third]).toEqual([1, true])
    runs.putMarks({ [id(2)]: { ...marks, baseline: true }, [id(3)]: marks })
    expect(runs.baseline?.number).toBe(2)
  })

  it('that were taken away stay away until the server has let go of them', async () => {
    const runs = await loaded(2)
    useConnection()
    const { last } = FakeSocket
    last.hello()
    const say = (changes: object): void =>
      last.say({ type: 'runs', complete: false, runs: [wireRun(1)], removed: [], series: [], ...changes })
    const numbers = (): number[] => runs.rows.map((row) => row.number)
    runs.leave(runs.rows.filter((row) => row.number === 1))
    expect(numbers()).toEqual([2])
    say({})
    expect(numbers()).toEqual([2])
    say({ removed: [1], runs: [] })
    say({})
    expect(numbers()).toEqual([2, 1])
    runs.leave(runs.rows.filter((row) => row.number === 1))
    say({ complete: true })
    expect(numbers()).toEqual([1])
    runs.leave(runs.rows)
    await runs.comeBack([1])
    expect(numbers()).toEqual([2, 1])
    say({ runs: [wireRun(1, { last_step: 5 })] })
    expect(runs.byNumber.get(1)?.lastStep).toBe(5)
  })

  it('are told live', async () => {
    await loaded(1)
    useConnection()
    FakeSocket.last.hello()
    expect(FakeSocket.last.of('subscribe')[0]).toMatchObject({ topics: ['runs'] })
  })

  it('turn the words for no number into numbers', async () => {
    server.runs = [wireRun(1, { lead_tag: { series: 17, name: 'loss', last_value: 'NaN' } })]
    const runs = useRuns()
    await runs.load()
    expect(runs.byNumber.get(1)?.leadTag).toEqual({ series: 17, name: 'loss', lastValue: NaN })
  })

  it('say why they could not be loaded', async () => {
    server.refusals.set('/api/runs', { status: 500, body: { code: 'broken', message: 'It broke.', detail: { at: 1 } } })
    const runs = useRuns()
    await runs.load()
    expect(runs.error).toMatchObject({ code: 'broken', message: 'It broke.', detail: { at: 1 }, status: 500 })
    expect(runs.loaded).toBe(false)
  })
})

describe('series', () => {
  it('are fetched for visible runs only, once', async () => {
    server.tags = { loss: [wireSeries(1, 11), wireSeries(2, 21)] }
    const runs = await loaded(2)
    expect(runs.series.map((row) => row.series)).toEqual([11, 21])
    const asked = server.asked.length
    runs.toggle(1)
    runs.toggle(1)
    await nextTick()
    await settle()
    expect(server.asked.length).toBe(asked)
  })

  it('are fetched when their runs become visible', async () => {
    server.tags = { loss: [wireSeries(1, 11), wireSeries(21, 111)] }
    const runs = await loaded(21)
    expect(runs.series.map((row) => row.series)).toEqual([111])
    runs.only(1)
    await nextTick()
    await settle()
    expect(server.asked.at(-1)?.search).toBe('?runs=1')
    expect(runs.series.map((row) => row.series)).toEqual([111, 11])
  })

  it('go with their runs, and only with these', async () => {
    server.tags = { loss: [wireSeries(1, 11), wireSeries(2, 21)] }
    const runs = await loaded(2)
    useConnection()
    FakeSocket.last.hello()
    const row = { ...wireSeries(77, 771), name: 'loss' }
    FakeSocket.last.say({ type: 'runs', complete: false, runs: [], removed: [1], series: [row] })
    expect(runs.series.map((one) => one.series)).toEqual([21])
    const before = server.asked.length
    await runs.load()
    // The run is back: only its series are requested.
    expect(server.asked.slice(before).map(({ search }) => search)).toEqual(['?limit=10000', '?runs=1'])
  })

  it('are asked for before the runs are known, and only once', async () => {
    server.runs = [wireRun(1), wireRun(2)]
    server.tags = { loss: [wireSeries(1, 11), wireSeries(2, 21)] }
    const runs = useRuns()
    await runs.load('standard')
    expect(runs.series.map((row) => row.series)).toEqual([11, 21])
    expect(server.asked.map(({ pathname, search }) => pathname + search)).toEqual([
      '/api/scalars/series?standard=true',
      '/api/runs?limit=10000',
    ])
    expect(runs.seriesLoaded).toBe(true)
  })

  it('that the first answer left out are asked for by their runs', async () => {
    server.runs = [wireRun(1), wireRun(2)]
    server.tags = { loss: [wireSeries(1, 11)] }
    const runs = useRuns()
    await runs.load('all')
    expect(server.asked.map(({ search }) => search)).toEqual(['', '?limit=10000', '?runs=2'])
  })

  it('that could not be asked for ahead are asked for afterwards', async () => {
    server.runs = [wireRun(1)]
    server.refusals.set('/api/scalars/series', 'unreachable')
    const runs = useRuns()
    const loading = runs.load('standard')
    await settle()
    expect(runs.error).toMatchObject({ code: 'unreachable' })
    await loading
    expect(server.asked.map(({ search }) => search)).toEqual(['?standard=true', '?limit=10000', '?runs=1'])
  })

  it('follow live rows without touching the set of names', async () => {
    server.tags = { loss: [wireSeries(1, 11)] }
    const runs = await loaded(1)
    useConnection()
    FakeSocket.last.hello()
    const set = runs.seriesSet
    const row = { ...wireSeries(1, 11, { last_value: 0.25 }), name: 'loss' }
    FakeSocket.last.say({ type: 'runs', complete: false, runs: [], removed: [], series: [row] })
    expect(runs.seriesOf(11)?.lastValue).toBe(0.25)
    expect(runs.seriesSet).toBe(set)
    FakeSocket.last.say({ type: 'removed', series: [11] })
    expect(runs.series).toEqual([])
  })

  it('are fetched anew after a rebuilt store', async () => {
    server.tags = { loss: [wireSeries(1, 11)] }
    const runs = await loaded(1)
    useConnection()
    FakeSocket.last.hello('one')
    server.tags = { loss: [wireSeries(1, 99)] }
    FakeSocket.last.drop()
    useConnection().retryNow()
    FakeSocket.last.hello('two')
    await settle()
    expect(runs.series.map((row) => row.series)).toEqual([99])
  })
})

describe('colours', () => {
  it('stay with a run while others come and go', async () => {
    server.runs = [wireRun(1, { colour: 3 }), wireRun(2, { colour: 3 }), wireRun(3, { colour: 5 })]
    const runs = useRuns()
    await runs.load()
    expect([1, 2, 3].map(runs.colourOf)).toEqual(['var(--run-4)', 'var(--run-5)', 'var(--run-6)'])
    runs.toggle(1)
    expect(runs.colourOf(2)).toBe('var(--run-5)')
    runs.toggle(1)
    expect([1, 2].map(runs.colourOf)).toEqual(['var(--run-4)', 'var(--run-5)'])
  })

  it('come again with dashes, and belong to runs that are not drawn too', async () => {
    const runs = await loaded(11)
    runs.toggle(1)
    expect([runs.colourOf(1), runs.dashOf(1)]).toEqual(['var(--run-2)', []])
    runs.showAll()
    // Ten have their own colour.
    const dashes = runs.rows.map(({ number }) => runs.dashOf(number)).filter(({ length }) => length > 0)
    expect(dashes).toEqual([[6, 3]])
    expect(runs.dashOf(11)).toEqual([])
    expect([runs.colourOf(77), runs.dashOf(77)]).toEqual(['var(--run-1)', []])
  })
})

describe('the step cursor', () => {
  it('knows the extent of the visible runs', async () => {
    server.runs = [wireRun(1, { last_step: 50 }), wireRun(2, { last_step: 900 })]
    server.tags = { loss: [wireSeries(1, 11, { first_step: 5 }), wireSeries(2, 21, { first_step: 7 })] }
    const runs = useRuns()
    await runs.load()
    const cursor = useCursor()
    expect(cursor.extent).toEqual({ first: 5, last: 900 })
    runs.only(1)
    expect(cursor.extent).toEqual({ first: 5, last: 50 })
    runs.choose([])
    expect(cursor.extent).toBeNull()
  })

  it('follows the newest step until it is set, and again at the end', async () => {
    server.runs = [wireRun(1, { last_step: 3 })]
    await useRuns().load()
    const cursor = useCursor()
    expect([cursor.step, cursor.follow]).toEqual([null, true])
    cursor.move(-1)
    expect([cursor.step, cursor.follow]).toEqual([2, false])
    cursor.move(1)
    expect(cursor.follow).toBe(true)
  })
})
