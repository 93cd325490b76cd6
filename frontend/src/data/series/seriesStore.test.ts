import { beforeEach, describe, expect, it, vi } from 'vitest'

import { decodeFrames } from '../frames'
import { REFINE_AFTER, SeriesStore, type LiveFeed } from './seriesStore'
import { encodeFrame, type FrameInput } from '../testing/frames'
import { fakeServer, settle, type FakeServer } from '../testing/server'

class FakeFeed implements LiveFeed {
  followed = new Map<number, number>()
  follow(series: number, next: number): () => void {
    this.followed.set(series, next)
    return () => this.followed.delete(series)
  }
  moveTo(series: number, next: number): void {
    if (this.followed.has(series)) this.followed.set(series, next)
  }
}

let server: FakeServer
let feed: FakeFeed
let store: SeriesStore
const changed = vi.fn()

const push = (input: FrameInput): void => store.receive(decodeFrames(encodeFrame(input)))
const held = (series: number): number[] => {
  const columns = store.peek(series)?.full
  return columns ? [...columns.value.subarray(0, columns.length)] : []
}

beforeEach(() => {
  server = fakeServer()
  feed = new FakeFeed()
  store = new SeriesStore(feed)
  changed.mockReset()
  server.points.set(1, [5, 6, 7])
  server.points.set(2, [8])
})

describe('watching', () => {
  it('fetches a view, then follows from its end', async () => {
    store.watch(1, 600, changed)
    await settle()
    expect(held(1)).toEqual([5, 6, 7])
    expect(feed.followed).toEqual(new Map([[1, 3]]))
    push({ series: 1, first: 3, value: [9] })
    expect(held(1)).toEqual([5, 6, 7, 9])
    expect(changed).toHaveBeenCalledTimes(2)
  })

  it('asks for all series of a tick in one request', async () => {
    store.watch(1, 600, changed)
    store.watch(2, 600, changed)
    store.watch(1, 600, changed)
    await settle()
    expect(server.asked.map((url) => url.search)).toEqual(['?series=1%2C2&width=600'])
  })

  it('asks again for a wider chart, but not where all points are held', async () => {
    store.watch(1, 100, changed)
    await settle()
    store.watch(1, 900, changed)
    await settle()
    expect(server.asked.length).toBe(1)
    server.views.set(3, encodeFrame({ series: 3, kind: 2, end: 5000, step: [0, 4999], value: [1, 2] }))
    store.watch(3, 100, changed)
    await settle()
    store.watch(3, 900, changed)
    await settle()
    expect(server.asked.map((url) => url.searchParams.get('width'))).toEqual(['100', '100', '900'])
  })

  it('stops live points with the last user and goes on later without a new view', async () => {
    const first = store.watch(1, 600, changed)
    await settle()
    first.release()
    expect(feed.followed.size).toBe(0)
    store.watch(1, 600, changed)
    await settle()
    expect(feed.followed).toEqual(new Map([[1, 3]]))
    expect(server.asked.length).toBe(1)
  })

  it('keeps only the last few series that nobody looks at', async () => {
    for (let series = 100; series < 200; series++) {
      server.points.set(series, [series])
      const watch = store.watch(series, 600, changed)
      await settle()
      watch.release()
    }
    const kept = Array.from({ length: 100 }, (_, at) => store.peek(100 + at)).filter(Boolean)
    expect(kept.length).toBe(48)
    expect(store.peek(199)).toBeDefined()
  })
})

describe('what goes wrong', () => {
  it('fetches a view when points between are missing', async () => {
    store.watch(1, 600, changed)
    await settle()
    server.points.set(1, [5, 6, 7, 8, 9, 10])
    push({ series: 1, first: 5, value: [10] })
    await settle()
    expect(held(1)).toEqual([5, 6, 7, 8, 9, 10])
    expect(feed.followed.get(1)).toBe(6)
  })

  it('fetches a view when the server says so', async () => {
    store.watch(1, 600, changed)
    await settle()
    server.points.set(1, [1, 2, 3, 4])
    store.refetch([1])
    await settle()
    expect(held(1)).toEqual([1, 2, 3, 4])
  })

  it('says what failed and can be asked again', async () => {
    server.refusals.set('/api/scalars/points', 'unreachable')
    const watch = store.watch(1, 600, changed)
    await settle()
    expect(watch.series.error?.code).toBe('unreachable')
    server.refusals.clear()
    store.retry()
    await settle()
    expect(watch.series.error).toBeNull()
    expect(held(1)).toEqual([5, 6, 7])
  })

  it('draws the others when one series is gone', async () => {
    const gone = store.watch(77, 600, changed)
    store.watch(1, 600, changed)
    await settle()
    expect(gone.series.error?.code).toBe('unknown_series')
    expect(held(1)).toEqual([5, 6, 7])
  })

  it('reports an answer that cannot be read', async () => {
    server.views.set(3, new ArrayBuffer(13))
    const watch = store.watch(3, 600, changed)
    await settle()
    expect(watch.series.error?.code).toBe('bad_frame')
  })

  it('drops everything when the store was rebuilt, even what is still on its way', async () => {
    store.watch(1, 600, changed)
    store.restart()
    server.points.set(1, [40])
    await settle()
    expect(held(1)).toEqual([40])
  })
})

describe('long runs', () => {
  beforeEach(() => {
    server.views.set(1, encodeFrame({ series: 1, kind: 2, end: 9000, step: [0, 8999], value: [1, 2] }))
  })

  it('fetch their view again when much was appended', async () => {
    store.watch(1, 16, changed)
    await settle()
    push({ series: 1, first: 9000, value: Array.from({ length: 65 }, () => 3) })
    await settle()
    expect(server.asked.length).toBe(2)
    // The new view still ends at 9000: nothing that came live may be lost.
    expect(held(1).length).toBe(67)
  })

  it('get a finer view of a range, after a pause', async () => {
    vi.useFakeTimers()
    const watch = store.watch(1, 600, changed)
    await vi.advanceTimersByTimeAsync(0)
    store.refine(1, { from: 10, to: 20 })
    store.refine(1, { from: 10, to: 30 })
    server.views.set(1, encodeFrame({ series: 1, first: 9, step: [9, 10, 30, 31], value: [1, 2, 3, 4] }))
    await vi.advanceTimersByTimeAsync(REFINE_AFTER)
    expect(server.asked.at(-1)?.search).toBe('?series=1&width=600&from=10&to=30')
    expect(watch.series.drawn.length).toBe(4)
    store.refine(1, null)
    expect(watch.series.drawn).toBe(watch.series.full)
    vi.useRealTimers()
  })

  it('grow at the end of the finer view too', async () => {
    vi.useFakeTimers()
    const watch = store.watch(1, 600, changed)
    await vi.advanceTimersByTimeAsync(0)
    server.views.set(
      1,
      encodeFrame({
        series: 1,
        first: 8990,
        end: 9000,
        step: Array.from({ length: 10 }, (_, at) => 8990 + at),
        value: Array.from({ length: 10 }, () => 0),
      }),
    )
    store.refine(1, { from: 8990, to: 9100 })
    await vi.advanceTimersByTimeAsync(REFINE_AFTER)
    push({ series: 1, first: 9000, value: [7] })
    expect(watch.series.drawn.length).toBe(11)
    push({ series: 1, first: 9001, step: [9500], value: [7] })
    expect(watch.series.drawn.length).toBe(11)
    vi.useRealTimers()
  })

  it('need no finer view where every point is held', async () => {
    store.watch(2, 600, changed)
    await settle()
    store.refine(2, { from: 0, to: 1 })
    await new Promise((resolve) => setTimeout(resolve, 2 * REFINE_AFTER))
    expect(server.asked.length).toBe(1)
  })
})
