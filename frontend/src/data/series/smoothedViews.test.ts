import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { DebiasedEma } from './smoothing'
import { decodeFrames } from '../frames'
import { REFINE_AFTER, SeriesStore, type HeldSeries, type LiveFeed } from './seriesStore'
import { SLIDE_AFTER } from './smoothedViews'
import { encodeFrame, type FrameInput } from '../testing/frames'
import { fakeServer, type FakeServer } from '../testing/server'

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
})
