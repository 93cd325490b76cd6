import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { DebiasedEma, smoothingUnit } from './smoothing'
import { Columns } from './columns'
import { decodeFrames, type Frame } from '../frames'
import { REFINE_AFTER, SeriesStore, HeldSeries, type LiveFeed } from './seriesStore'
import { SLIDE_AFTER, SmoothedViews } from './smoothedViews'
import { encodeFrame, type FrameInput } from '../testing/frames'
import { fakeServer, type FakeServer } from '../testing/server'
import { SlowViews } from '../testing/slowViews'

const feed: LiveFeed = { follow: () => () => undefined, moveTo: () => undefined }
const changed = vi.fn()
const LONG: FrameInput = { series: 1, kind: 2, dtype: 2, end: 9000, step: [0, 8999] }

let server: FakeServer
let store: SeriesStore
let held: HeldSeries

const wait = async (ms = 0): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms))
const push = (input: FrameInput): void => store.receive(decodeFrames(encodeFrame(input)))
const asked = (): string[] => server.asked.map((url) => url.search)
const smoothed = (): number[] => [...(held.smooth?.value.subarray(0, held.smooth.length) ?? [])]

beforeEach(async () => {
  vi.useFakeTimers()
  server = fakeServer()
  store = new SeriesStore(feed)
  server.views.set(1, encodeFrame({ ...LONG, value: [1, 2] }))
  server.smoothed.set(1, encodeFrame({ ...LONG, value: [5, 6] }))
  server.points.set(2, [1, 2, 3])
  held = store.watch(1, 600, changed).series
  store.watch(2, 600, changed)
  await wait()
  server.asked.length = 0
  changed.mockReset()
})
afterEach(() => vi.useRealTimers())

describe('smoothing on the server', () => {
  it('is asked for what is too long to be held whole, once', async () => {
    for (const series of [1, 2]) store.smooth(series, 0.9)
    await wait()
    expect(asked()).toEqual(['?series=1&width=600&smoothing=0.9'])
    expect(smoothed()).toEqual([5, 6])
    expect(changed).toHaveBeenCalledTimes(1)
    store.smooth(1, 0.9)
    await wait(SLIDE_AFTER)
    expect(asked().length).toBe(1)
  })

  it('waits for a pause of the slider, and keeps the old curve meanwhile', async () => {
    store.smooth(1, 0.9)
    await wait()
    server.smoothed.set(1, encodeFrame({ ...LONG, value: [7, 8] }))
    for (const weight of [0.91, 0.92, 0.93]) {
      store.smooth(1, weight)
      await wait(SLIDE_AFTER / 2)
    }
    expect(smoothed()).toEqual([5, 6])
    expect(asked().length).toBe(1)
    await wait(SLIDE_AFTER)
    expect(asked().at(-1)).toBe('?series=1&width=600&smoothing=0.93')
    expect(asked().length).toBe(2)
    expect(smoothed()).toEqual([7, 8])
  })

  it('is refined with the zoom, and given up with it', async () => {
    store.smooth(1, 0.9)
    store.refine(1, { from: 10, to: 20 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    await wait()
    expect(asked().at(-1)).toBe('?series=1&width=600&from=10&to=20&smoothing=0.9')
    expect(held.smoothFine?.length).toBe(2)
    store.refine(1, null)
    store.smooth(1, 0.9)
    expect(held.smoothFine).toBeNull()
    expect(held.smooth).not.toBeNull()
  })

  it('goes on with live points as the average does', async () => {
    store.smooth(1, 0.9)
    await wait()
    push({ series: 1, first: 9000, step: [9000, 9100], value: [16, NaN] })
    const expected = new Float64Array(2)
    const ema = new DebiasedEma(0.9, 2 ** 5.25)
    ema.seed(6, 8999)
    ema.extend(Float64Array.of(9000, 9100), Float64Array.of(16, NaN), 0, 2, expected)
    expect(smoothed().slice(2)).toEqual([...expected])
  })

  it('ends with the weight', async () => {
    store.smooth(1, 0.9)
    await wait()
    store.smooth(1, 0)
    expect(held.smooth).toBeNull()
    store.smooth(1, 0.9)
    store.smooth(1, 0)
    await wait(SLIDE_AFTER)
    expect(held.smooth).toBeNull()
  })

  it('is asked for anew with a new view and after a rebuild', async () => {
    store.smooth(1, 0.9)
    await wait()
    store.refetch([1])
    await wait()
    store.smooth(1, 0.9)
    await wait()
    expect(asked().filter((search) => search.includes('smoothing')).length).toBe(2)
    store.restart()
    expect(held.smooth).toBeNull()
  })

  it('leaves the measured curve where it fails', async () => {
    server.refusals.set('/api/scalars/points', 'unreachable')
    store.smooth(1, 0.9)
    await wait()
    expect(held.smooth).toBeNull()
    expect(held.error).toBeNull()
    server.refusals.clear()
    store.smooth(1, 0.9)
    await wait()
    expect(smoothed()).toEqual([5, 6])
  })

  it('is asked for once for a zoom, and for both views with another weight', async () => {
    store.smooth(1, 0.9)
    store.refine(1, { from: 10, to: 20 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    await wait()
    const before = asked().length
    store.smooth(1, 0.9)
    await wait(SLIDE_AFTER)
    expect(asked().length).toBe(before)
    store.smooth(1, 0.8)
    await wait(SLIDE_AFTER)
    expect(asked().slice(before)).toEqual([
      '?series=1&width=600&smoothing=0.8',
      '?series=1&width=600&from=10&to=20&smoothing=0.8',
    ])
  })

  it.each([
    { view: [5, NaN], live: 5 + 0.1 * (16 - 5) },
    { view: [NaN, NaN], live: 16 },
  ])('goes on from the last finite value of $view', async ({ view, live }) => {
    server.smoothed.set(1, encodeFrame({ ...LONG, value: view }))
    store.smooth(1, 0.9)
    await wait()
    push({ series: 1, dtype: 2, first: 9000, step: [9100], value: [16] })
    expect(smoothed()[2]).toBeCloseTo(live, 9)
  })

  it('takes live points one after another', async () => {
    store.smooth(1, 0.9)
    await wait()
    for (const first of [9000, 9001, 9002]) push({ series: 1, dtype: 2, first, step: [first], value: [6] })
    expect(smoothed()).toEqual([5, 6, 6, 6, 6])
    expect(held.smooth).toMatchObject({ end: 9003, appended: 3, complete: false })
  })

  it('smooths live points in a zoom that reaches the end', async () => {
    server.smoothed.set(1, encodeFrame({ ...LONG, first: 8000, step: [8000, 8999], value: [5, 6] }))
    store.smooth(1, 0.9)
    store.refine(1, { from: 8000, to: 20_000 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    await wait()
    push({ series: 1, dtype: 2, first: 9000, step: [9000], value: [6] })
    expect(held.smoothFine?.length).toBe(held.fine?.length)
    expect(smoothed()).toEqual([5, 6, 6])
  })

  it('asks for nothing that did not change', async () => {
    store.refine(1, { from: 10, to: 20 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    await wait()
    let before = asked().length
    store.refine(1, { from: 10, to: 30 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    await wait()
    const fine = '?series=1&width=600&from=10&to=30'
    expect(asked().slice(before)).toEqual([fine, `${fine}&smoothing=0.9`])
    before = asked().length
    store.refetch([1])
    await wait()
    store.smooth(1, 0.9)
    await wait()
    expect(asked().slice(before)).toEqual(['?series=1&width=600', '?series=1&width=600&smoothing=0.9'])
    store.smooth(1, 0.9)
    expect(held.smoothFine?.length).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not hurried by a chart that comes while the slider moves', async () => {
    server.views.set(3, encodeFrame({ ...LONG, series: 3, value: [1, 2] }))
    store.watch(3, 600, changed)
    store.smooth(1, 0.9)
    await wait()
    const before = asked().length
    store.smooth(1, 0.8)
    store.smooth(3, 0.8)
    await wait(SLIDE_AFTER - 1)
    expect(asked().length).toBe(before)
    await wait(1)
    expect(asked().slice(before)).toEqual(['?series=1%2C3&width=600&smoothing=0.8'])
  })

  it('takes in live points that came before it', async () => {
    store.refine(1, { from: 10, to: 20 })
    await wait(REFINE_AFTER)
    store.smooth(1, 0.9)
    push({ series: 1, dtype: 2, first: 9000, step: [9000], value: [6] })
    expect([held.smooth, held.smoothFine]).toEqual([null, null])
    await wait()
    expect(smoothed()).toEqual([5, 6, 6])
  })

  it('measures the pace of steps from the first one', async () => {
    const late = { ...LONG, step: [1_000_000, 1_008_999] }
    server.views.set(1, encodeFrame({ ...late, value: [1, 2] }))
    server.smoothed.set(1, encodeFrame({ ...late, value: [5, 6] }))
    store.refetch([1])
    await wait()
    store.smooth(1, 0.9)
    await wait()
    push({ series: 1, dtype: 2, first: 9000, step: [1_009_100], value: [16] })
    const ema = new DebiasedEma(0.9, smoothingUnit(9100))
    const expected = new Float64Array(1)
    ema.seed(6, 1_008_999)
    ema.extend(Float64Array.of(1_009_100), Float64Array.of(16), 0, 1, expected)
    expect(smoothed()[2]).toBe(expected[0])
  })

  it('leaves out live points after a gap, until it is there anew', async () => {
    store.smooth(1, 0.9)
    await wait()
    server.views.set(1, encodeFrame({ ...LONG, end: 9100, step: [0, 9099], value: [1, 2] }))
    store.refetch([1])
    await wait()
    push({ series: 1, dtype: 2, first: 9100, step: [9100], value: [6] })
    expect(smoothed()).toEqual([5, 6])
    expect(held.smooth?.end).toBe(9000)
    server.smoothed.set(1, encodeFrame({ ...LONG, end: 9100, step: [0, 9099], value: [5, 6] }))
    store.smooth(1, 0.9)
    await wait()
    expect(smoothed()).toEqual([5, 6, 6])
  })

  it.each([
    { answer: 'unreachable' as const, again: 1 },
    { answer: { status: 400, body: { code: 'bad_value', message: 'no', detail: {} } }, again: 0 },
  ])('is asked for $again more times with the next drawing after $answer', async ({ answer, again }) => {
    store.refetch([1])
    await wait()
    server.refusals.set('/api/scalars/points', answer)
    store.smooth(1, 0.9)
    await wait()
    server.refusals.clear()
    const before = asked().length
    store.smooth(1, 0.9)
    await wait()
    expect(asked().length - before).toBe(again)
  })
})

describe('answers that come late', () => {
  const view = (...value: number[]): Frame => decodeFrames(encodeFrame({ ...LONG, value }))[0]
  const values = (columns: Columns | null): number[] => [...(columns?.value.subarray(0, columns.length) ?? [])]

  let slow: SlowViews
  let views: SmoothedViews
  let long: HeldSeries

  beforeEach(async () => {
    slow = new SlowViews()
    views = new SmoothedViews(slow)
    long = new HeldSeries(1)
    long.full.replace(view(1, 2), 600)
    long.fine = new Columns()
    long.fine.replace(view(3, 4), 600)
    long.range = { from: 0, to: 8999 }
    for (const weight of [0.9, 0.8]) {
      views.want(long, weight, changed)
      await wait(SLIDE_AFTER)
    }
  })

  it('do not take the place of newer ones', async () => {
    const [oldWhole, oldFine, newWhole, newFine] = slow.open
    newWhole.answer(view(5, 6))
    newFine.answer(view(7, 8))
    await wait()
    oldWhole.answer(view(0, 0))
    oldFine.answer(view(0, 0))
    await wait()
    expect([values(long.smooth), values(long.smoothFine)]).toEqual([
      [5, 6],
      [7, 8],
    ])
  })

  it('are not taken for a zoom that was given up', async () => {
    long.fine = null
    slow.open[3].answer(view(7, 8))
    await wait()
    expect(long.smoothFine).toBeNull()
  })

  it('are not taken once no smoothing is wanted', async () => {
    views.want(long, 0, changed)
    slow.open.forEach(({ answer }) => answer(view(7, 8)))
    await wait()
    expect([long.smooth, long.smoothFine]).toEqual([null, null])
  })
})
