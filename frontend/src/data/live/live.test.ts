import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { PING_EVERY, PONG_WITHIN } from './lastingSocket'
import { LiveConnection, type LiveState } from './live'
import { encodeFrame, joined } from '../testing/frames'
import { FakeSocket } from '../testing/socket'

const states: LiveState[] = []
const frames: [number, number][] = []
const refetched: number[][] = []
const stores: string[] = []
const troubles: string[] = []

function connection(): LiveConnection {
  return new LiveConnection({
    url: 'ws://here/ws/live',
    socket: FakeSocket.make,
    random: () => 0.5,
    handlers: {
      state: (state) => states.push(state),
      frames: (news) => frames.push(...news.map((frame): [number, number] => [frame.series, frame.end])),
      refetch: (series) => refetched.push(series),
      storeChanged: (store) => stores.push(store),
      trouble: (message) => troubles.push(message),
    },
  })
}

const phase = (): string | undefined => states.at(-1)?.phase
const flush = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))

let live: LiveConnection

beforeEach(() => {
  vi.useFakeTimers()
  FakeSocket.made = []
  for (const list of [states, frames, refetched, stores, troubles]) list.length = 0
  live = connection()
})
afterEach(() => {
  live.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('subscriptions', () => {
  it('leave in one message per tick', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 10)
    live.follow(2, 0)
    live.followTopic('runs')
    await flush()
    expect(FakeSocket.last.sent).toEqual([
      {
        type: 'subscribe',
        topics: ['runs'],
        series: [
          [1, 10],
          [2, 0],
        ],
      },
    ])
  })

  it('wait for the greeting', async () => {
    live.open()
    live.follow(1, 10)
    await flush()
    expect(FakeSocket.last.sent).toEqual([])
    FakeSocket.last.hello()
    expect(FakeSocket.last.of('subscribe')).toEqual([{ type: 'subscribe', topics: [], series: [[1, 10]] }])
  })

  it('end with their last user', async () => {
    live.open()
    FakeSocket.last.hello()
    const first = live.follow(1, 0)
    const second = live.follow(1, 0)
    await flush()
    first()
    first()
    await flush()
    expect(FakeSocket.last.of('unsubscribe')).toEqual([])
    second()
    await flush()
    expect(FakeSocket.last.of('unsubscribe')).toEqual([{ type: 'unsubscribe', topics: [], series: [1] }])
  })

  it('say nothing when somebody leaves and another comes in one tick', async () => {
    live.open()
    FakeSocket.last.hello()
    const end = live.follow(1, 5)
    await flush()
    end()
    live.follow(1, 5)
    await flush()
    expect(FakeSocket.last.of('unsubscribe')).toEqual([])
  })

  it('to topics end with their last user too', async () => {
    live.open()
    FakeSocket.last.hello()
    const ends = [live.followTopic('runs'), live.followTopic('runs')]
    await flush()
    ends[0]()
    ends[0]()
    await flush()
    expect(FakeSocket.last.sent).toEqual([{ type: 'subscribe', topics: ['runs'], series: [] }])
    ends[1]()
    await flush()
    expect(FakeSocket.last.sent.slice(1)).toEqual([{ type: 'unsubscribe', topics: ['runs'], series: [] }])
    live.followTopic('runs')
    await flush()
    expect(FakeSocket.last.sent.slice(2)).toEqual([{ type: 'subscribe', topics: ['runs'], series: [] }])
  })

  it('to a topic stay when somebody leaves and another comes in one tick', async () => {
    live.open()
    FakeSocket.last.hello()
    const end = live.followTopic('runs')
    await flush()
    end()
    live.followTopic('runs')
    await flush()
    expect(FakeSocket.last.of('unsubscribe')).toEqual([])
  })

  it('that end before they left are not made', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)()
    live.followTopic('runs')()
    await flush()
    expect(FakeSocket.last.of('subscribe')).toEqual([])
  })

  it('are not repeated for another user, nor made by moving what nobody follows', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 5)
    await flush()
    live.follow(1, 9)
    live.moveTo(2, 7)
    live.moveTo(1, 5)
    await flush()
    expect(FakeSocket.last.sent).toEqual([{ type: 'subscribe', topics: [], series: [[1, 5]] }])
  })

  it('ignore frames of series that nobody follows', () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    FakeSocket.last.bytes(encodeFrame({ series: 2, value: [1] }))
    expect(frames).toEqual([])
  })
})

describe('a lost connection', () => {
  it('is taken up where it broke', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    live.followTopic('runs')
    await flush()
    FakeSocket.last.bytes(encodeFrame({ series: 1, value: [1, 2, 3] }))
    FakeSocket.last.drop()
    expect(phase()).toBe('lost')
    await vi.advanceTimersByTimeAsync(250)
    FakeSocket.last.hello()
    expect(FakeSocket.made.length).toBe(2)
    expect(FakeSocket.last.sent).toEqual([{ type: 'subscribe', topics: ['runs'], series: [[1, 3]] }])
    expect(states.at(-1)).toEqual({ phase: 'open', lostSince: null, retryAt: null, closeCode: null })
  })

  it('is tried again with growing pauses of at most 5 s', async () => {
    live.open()
    const pauses: number[] = []
    for (let turn = 0; turn < 7; turn++) {
      FakeSocket.last.drop()
      const pause = (states.at(-1)?.retryAt ?? 0) - Date.now()
      pauses.push(pause)
      await vi.advanceTimersByTimeAsync(pause)
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
  })

  it('remembers since when it is lost', async () => {
    live.open()
    FakeSocket.last.hello()
    FakeSocket.last.drop()
    const since = states.at(-1)?.lostSince
    await vi.advanceTimersByTimeAsync(250)
    FakeSocket.last.drop()
    expect(states.at(-1)?.lostSince).toBe(since)
  })

  it('comes back at once when the network or the page does', async () => {
    live.open()
    FakeSocket.last.drop()
    window.dispatchEvent(new Event('online'))
    expect(FakeSocket.made.length).toBe(2)
    FakeSocket.last.drop()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeSocket.made.length).toBe(3)
    await flush()
  })

  it.each([4400, 4403])('is final after code %i until somebody asks', async (code) => {
    live.open()
    FakeSocket.last.hello()
    FakeSocket.last.drop(code)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(FakeSocket.made.length).toBe(1)
    expect(states.at(-1)).toMatchObject({ phase: 'lost', retryAt: null, closeCode: code })
    live.retryNow()
    expect(FakeSocket.made.length).toBe(2)
  })

  it('is noticed by silence', async () => {
    live.open()
    FakeSocket.last.hello()
    await vi.advanceTimersByTimeAsync(PING_EVERY)
    expect(FakeSocket.last.of('ping').length).toBe(1)
    FakeSocket.last.say({ type: 'pong', id: 1, now: 0 })
    await vi.advanceTimersByTimeAsync(PING_EVERY)
    expect(phase()).toBe('open')
    await vi.advanceTimersByTimeAsync(PONG_WITHIN)
    expect(phase()).toBe('lost')
  })
})

describe('the server', () => {
  it('moves a series on when too much waits', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    FakeSocket.last.say({ type: 'refetch', series: [[1, 50_000]] })
    expect(refetched).toEqual([[1]])
    FakeSocket.last.drop()
    await vi.advanceTimersByTimeAsync(250)
    FakeSocket.last.hello()
    expect(FakeSocket.last.of('subscribe')[0]).toMatchObject({ series: [[1, 50_000]] })
  })

  it('may come back with another store: everything starts anew', async () => {
    live.open()
    FakeSocket.last.hello('one')
    live.follow(1, 70)
    FakeSocket.last.drop()
    await vi.advanceTimersByTimeAsync(250)
    FakeSocket.last.hello('two')
    expect(stores).toEqual(['two'])
    expect(FakeSocket.last.of('subscribe')[0]).toMatchObject({ series: [[1, 0]] })
  })

  it('may send what cannot be read: the next message is read all the same', () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    FakeSocket.last.bytes(encodeFrame({ series: 1, value: [1, 2] }).slice(0, 50))
    FakeSocket.last.say({ type: 'error', code: 'unknown_series', message: 'There is no series 9.', detail: {} })
    FakeSocket.last.bytes(encodeFrame({ series: 1, first: 2, value: [3] }))
    expect(troubles).toEqual([expect.stringContaining('columns'), 'There is no series 9. (unknown_series)'])
    expect(frames).toEqual([[1, 3]])
  })

  it('may say what nobody wants to hear', () => {
    const deaf = new LiveConnection({ url: 'ws://here/ws/live', socket: FakeSocket.make, handlers: {} })
    deaf.open()
    FakeSocket.last.hello('one')
    deaf.follow(1, 0)
    FakeSocket.last.bytes(encodeFrame({ series: 1, value: [1] }))
    for (const message of [
      { type: 'runs', complete: true, runs: [], removed: [], series: [] },
      { type: 'refetch', series: [[2, 4]] },
      { type: 'removed', series: [2] },
      { type: 'health', reader: 'ok', broker: 'ok', since: 1 },
      { type: 'error', code: 'bad', message: 'No.' },
      { type: 'of a later version' },
      { type: 'hello', store: 'two' },
    ]) {
      FakeSocket.last.say(message)
    }
    FakeSocket.last.bytes(new ArrayBuffer(3))
    deaf.close()
    expect(FakeSocket.last.closedWith).toBe(1000)
  })

  it('may send text that is no JSON', () => {
    live.open()
    FakeSocket.last.hello()
    FakeSocket.last.onmessage?.({ data: '{' })
    expect(troubles).toEqual([expect.stringContaining('JSON')])
  })

  it('is not blamed for a fault of our own', () => {
    const fault = new TypeError('ours')
    const faulty = new LiveConnection({
      url: 'ws://here/ws/live',
      socket: FakeSocket.make,
      handlers: {
        health: () => {
          throw fault
        },
        trouble: (message) => troubles.push(message),
      },
    })
    faulty.open()
    expect(() => FakeSocket.last.say({ type: 'health', reader: 'ok', broker: 'ok', since: 1 })).toThrow(fault)
    expect(troubles).toEqual([])
    faulty.close()
  })

  it('may take series away: no frame of them is wanted any more', () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    live.follow(2, 0)
    FakeSocket.last.say({ type: 'removed', series: [1] })
    FakeSocket.last.bytes(joined(encodeFrame({ series: 1, value: [1] }), encodeFrame({ series: 2, value: [1] })))
    expect(frames).toEqual([[2, 1]])
  })

  it('may come back with the same store: nothing starts anew', async () => {
    live.open()
    FakeSocket.last.hello('one')
    live.follow(1, 70)
    FakeSocket.last.drop()
    await vi.advanceTimersByTimeAsync(250)
    FakeSocket.last.hello('one')
    expect(stores).toEqual([])
    expect(FakeSocket.last.sent).toEqual([{ type: 'subscribe', topics: [], series: [[1, 70]] }])
  })

  it('is asked again from where a view ends', async () => {
    live.open()
    FakeSocket.last.hello()
    live.follow(1, 0)
    await flush()
    live.moveTo(1, 400)
    live.moveTo(1, 400)
    await flush()
    expect(FakeSocket.last.of('subscribe').map((message) => message['series'])).toEqual([[[1, 0]], [[1, 400]]])
  })
})

it('leaves nothing behind when closed', async () => {
  live.open()
  FakeSocket.last.hello()
  FakeSocket.last.drop()
  live.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(FakeSocket.made.length).toBe(1)
})
