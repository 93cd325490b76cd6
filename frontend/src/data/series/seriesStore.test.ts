import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { decodeFrames, type Frame } from '../frames'
import { REFINE_AFTER, SeriesStore, type LiveFeed } from './seriesStore'
import { encodeFrame, type FrameInput } from '../testing/frames'
import { fakeServer, settle, type FakeServer } from '../testing/server'
import { SlowViews } from '../testing/slowViews'
import { ApiProblem } from '../types'

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
    // The new view still ends at 9000. No live point may be lost.
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
    expect(server.asked.filter(({ pathname }) => pathname === '/api/scalars/points').length).toBe(1)
  })
})

describe('a store whose answers take long', () => {
  const frame = (input: FrameInput): Frame => decodeFrames(encodeFrame(input))[0]
  const long = (value: number[], end = 9000): Frame =>
    frame({ series: 1, kind: 2, end, step: value.map((_, at) => at * 1000), value })
  const lost = new ApiProblem('unreachable', 'Away.', {}, 0)
  let views: SlowViews

  /** Releases an answer. */
  async function answer(at: number, view: Frame): Promise<void> {
    views.open[at].answer(view)
    await settle()
  }
  const widths = (): number[] => views.open.map(({ view }) => view.width)
  const ranges = (): (object | null)[] => views.open.map(({ view }) => view.range)

  beforeEach(() => {
    vi.useFakeTimers()
    views = new SlowViews()
    store = new SeriesStore(feed, views)
  })
  afterEach(() => vi.useRealTimers())

  it('asks again after an answer that is wanted wider meanwhile, once', async () => {
    store.watch(1, 100, changed)
    store.watch(1, 50, vi.fn())
    expect(widths()).toEqual([100])
    store.watch(1, 300, vi.fn())
    store.watch(1, 400, vi.fn())
    expect(widths()).toEqual([100])
    await answer(0, long([1, 2]))
    expect(widths()).toEqual([100, 400])
    await answer(1, long([1, 2, 3]))
    expect(widths()).toEqual([100, 400])
    expect(held(1)).toEqual([1, 2, 3])
  })

  it('follows from the end of each view, once for all users', async () => {
    const follow = vi.spyOn(feed, 'follow')
    const watches = [store.watch(1, 600, changed), store.watch(1, 600, vi.fn())]
    await answer(0, long([1, 2]))
    store.refetch([1])
    await answer(1, long([1, 2], 9500))
    expect(follow.mock.calls).toEqual([[1, 9000]])
    expect(feed.followed).toEqual(new Map([[1, 9500]]))
    watches[0].release()
    watches[0].release()
    expect(feed.followed.size).toBe(1)
    watches[1].release()
    expect(feed.followed.size).toBe(0)
  })

  it('knows what is watched', async () => {
    const first = store.watch(1, 600, changed)
    const second = store.watch(2, 600, changed)
    first.release()
    expect([...store.watched()]).toEqual([second.series])
    expect(store.peek(1)).toBe(first.series)
    expect(store.peek(3)).toBeUndefined()
    // Nobody uses the series any more: the view is kept, live points are not requested.
    await answer(0, long([1, 2]))
    expect([held(1), feed.followed.size]).toEqual([[1, 2], 0])
  })

  it('lets go of what is removed, and of its answers', async () => {
    const watch = store.watch(1, 600, changed)
    await answer(0, long([1, 2]))
    store.refetch([1])
    changed.mockReset()
    store.remove([1, 77])
    expect(changed).toHaveBeenCalledTimes(1)
    expect([store.peek(1), watch.series.full.length, feed.followed.size]).toEqual([undefined, 0, 0])
    await answer(1, long([3, 4]))
    expect(watch.series.full.length).toBe(0)
  })

  it('asks anew for what is watched after a restart, and forgets the rest', async () => {
    store.watch(1, 600, changed)
    store.watch(2, 600, changed).release()
    await answer(0, long([1, 2]))
    await answer(1, frame({ series: 2, value: [8] }))
    store.restart()
    expect([store.peek(1)?.loaded, held(1), store.peek(2)]).toEqual([false, [], undefined])
    expect(views.open.slice(2).map(({ series }) => series)).toEqual([1])
  })

  it('asks again for what failed only', async () => {
    store.watch(1, 600, changed)
    store.watch(2, 600, changed)
    await answer(0, long([1, 2]))
    changed.mockReset()
    views.open[1].refuse(lost)
    await settle()
    expect([store.peek(2)?.error, changed.mock.calls.length]).toEqual([lost, 1])
    store.retry()
    expect(views.open.slice(2).map(({ series }) => series)).toEqual([2])
  })

  it('takes points and envelopes as they come, and tells only what is new', async () => {
    store.watch(1, 600, changed)
    await answer(0, long([1, 2]))
    changed.mockReset()
    push({ series: 77, first: 0, value: [1] })
    push({ series: 1, first: 8999, value: [1] })
    expect(changed).not.toHaveBeenCalled()
    push({ series: 1, first: 9000, value: [3] })
    expect(changed).toHaveBeenCalledTimes(1)
    push({ series: 1, kind: 2, end: 9500, step: [0, 9499], value: [5, 6] })
    expect(changed).toHaveBeenCalledTimes(2)
    expect(held(1)).toEqual([5, 6])
    store.refetch([77])
    expect(views.open.length).toBe(1)
  })

  it('fetches a grown view once it has four times its width more, and not twice at a time', async () => {
    store.watch(1, 10, changed)
    await answer(0, long([1, 2]))
    const points = (first: number, count: number): void =>
      push({ series: 1, first, value: Array.from({ length: count }, () => 3) })
    points(9000, 40)
    expect(views.open.length).toBe(1)
    points(9040, 1)
    points(9041, 1)
    expect(views.open.length).toBe(2)
    await answer(1, long([1, 2], 9042))
    expect(views.open.length).toBe(2)
  })

  describe('a zoom', () => {
    const near = { from: 10, to: 20 }
    const fineOf = (): number[] => {
      const fine = store.peek(1)?.fine
      return [...(fine?.value.subarray(0, fine.length) ?? [])]
    }

    beforeEach(async () => {
      store.watch(1, 10, changed)
      store.watch(2, 10, changed)
      await answer(0, long([1, 2]))
      await answer(1, frame({ series: 2, kind: 2, end: 9000, step: [0, 8999], value: [1, 2] }))
      views.open.length = 0
      changed.mockReset()
    })

    it('is asked for at once, together with others, and after a pause while it moves', async () => {
      vi.advanceTimersByTime(REFINE_AFTER + 1)
      store.refine(1, near)
      store.refine(2, near)
      await settle()
      expect(views.open.map(({ series }) => series)).toEqual([1, 2])
      store.refine(1, { from: 10, to: 30 })
      vi.advanceTimersByTime(REFINE_AFTER - 1)
      store.refine(1, { from: 10, to: 40 })
      vi.advanceTimersByTime(REFINE_AFTER - 1)
      await settle()
      expect(views.open.length).toBe(2)
      vi.advanceTimersByTime(1)
      expect(views.open[2]).toMatchObject({ series: 1, view: { width: 10, range: { from: 10, to: 40 }, smoothing: 0 } })
    })

    it('that stays is not asked for again', async () => {
      store.refine(77, near)
      store.refine(1, near)
      vi.advanceTimersByTime(REFINE_AFTER)
      await settle()
      store.refine(1, { ...near })
      await vi.advanceTimersByTimeAsync(10 * REFINE_AFTER)
      expect(ranges()).toEqual([near])
    })

    it.each([
      ['another', { from: 11, to: 20 }],
      ['another', { from: 10, to: 21 }],
      ['none', null],
    ])('that gave way to %s is not shown', async (_what, next) => {
      store.refine(1, near)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      store.refine(1, next)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      expect(ranges()).toEqual(next ? [near, next] : [near])
      await answer(0, frame({ series: 1, value: [7] }))
      expect([fineOf(), changed.mock.calls.length]).toEqual([[], 0])
    })

    it('is told when it comes, when it goes, and when it fails', async () => {
      store.refine(1, near)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      await answer(0, frame({ series: 1, value: [7] }))
      expect([fineOf(), changed.mock.calls.length]).toEqual([[7], 1])
      store.refine(1, { from: 10, to: 30 })
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      // The old one stays until the new one arrives.
      expect(fineOf()).toEqual([7])
      views.open[1].refuse(lost)
      await settle()
      expect([store.peek(1)?.error, changed.mock.calls.length]).toEqual([lost, 2])
      store.refine(1, null)
      expect([fineOf(), changed.mock.calls.length]).toEqual([[], 3])
    })

    it('ends where the whole turns out to be held', async () => {
      store.refine(1, near)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      await answer(0, frame({ series: 1, value: [7] }))
      store.refetch([1])
      await answer(1, frame({ series: 1, value: [4, 5] }))
      expect([fineOf(), held(1)]).toEqual([[], [4, 5]])
    })

    it('is not asked for when its user leaves before', async () => {
      const watch = store.watch(3, 10, changed)
      store.refine(3, near)
      watch.release()
      views.open.length = 0
      await vi.advanceTimersByTimeAsync(2 * REFINE_AFTER)
      expect([views.open.length, watch.series.range]).toEqual([0, null])
    })

    it('is fetched again after a gap, and once it has grown by four times its width', async () => {
      const end = { from: 8000, to: 20_000 }
      store.refine(1, end)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      await answer(0, frame({ series: 1, kind: 2, end: 9000, step: [8000, 8999], value: [7, 8] }))
      const points = (first: number, count: number): void =>
        push({ series: 1, first, value: Array.from({ length: count }, () => 3) })
      points(9000, 40)
      await vi.advanceTimersByTimeAsync(2 * REFINE_AFTER)
      expect(ranges()).toEqual([end])
      points(9040, 1)
      await vi.advanceTimersByTimeAsync(2 * REFINE_AFTER)
      // The whole series has grown as much.
      expect(ranges()).toEqual([end, null, end])
      await answer(2, frame({ series: 1, kind: 2, end: 9010, step: [8000, 9009], value: [7, 8] }))
      store.peek(1)?.fine?.clear()
      points(9041, 1)
      await vi.advanceTimersByTimeAsync(2 * REFINE_AFTER)
      expect(ranges().slice(3)).toEqual([end])
    })

    it('is given up with its last user, smoothed views too', async () => {
      const watch = store.watch(3, 10, changed)
      await answer(0, frame({ series: 3, kind: 2, end: 9000, step: [0, 8999], value: [1, 2] }))
      store.refine(3, near)
      await vi.advanceTimersByTimeAsync(REFINE_AFTER)
      await answer(1, frame({ series: 3, value: [7] }))
      store.smooth(3, 0.9)
      await vi.advanceTimersByTimeAsync(0)
      await answer(2, frame({ series: 3, kind: 2, end: 9000, step: [0, 8999], value: [5, 6] }))
      expect(watch.series.smooth?.length).toBe(2)
      watch.release()
      expect(watch.series).toMatchObject({ fine: null, smooth: null, range: null })
    })
  })
})
