import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createHub, setHub, useHub, type Hub } from './hub'
import type { LiveHandlers } from './live'
import { encodeFrame } from '../testing/frames'
import { fakeServer, settle, type FakeServer } from '../testing/server'
import { FakeSocket } from '../testing/socket'

let server: FakeServer
let hub: Hub

beforeEach(() => {
  server = fakeServer()
  server.points.set(1, [5, 6])
  FakeSocket.made = []
  hub = createHub('ws://here/ws/live', FakeSocket.make)
  setHub(hub)
})
afterEach(() => setHub(null))

/** The calls of a listener, by the names of its handlers. */
function ear(): { handlers: Required<LiveHandlers>; heard: () => Record<string, number> } {
  const handlers = {
    state: vi.fn(),
    frames: vi.fn(),
    runs: vi.fn(),
    refetch: vi.fn(),
    removed: vi.fn(),
    health: vi.fn(),
    storeChanged: vi.fn(),
    heard: vi.fn(),
    trouble: vi.fn(),
  }
  const heard = (): Record<string, number> =>
    Object.fromEntries(Object.entries(handlers).map(([name, { mock }]) => [name, mock.calls.length]))
  return { handlers, heard }
}

/** All possible messages of a server. */
function sayAll(): void {
  FakeSocket.last.hello('one')
  hub.live.follow(1, 0)
  FakeSocket.last.bytes(encodeFrame({ series: 1, value: [1] }))
  FakeSocket.last.say({ type: 'runs', complete: false, runs: [], removed: [], series: [] })
  FakeSocket.last.say({ type: 'refetch', series: [[1, 4]] })
  FakeSocket.last.say({ type: 'removed', series: [1] })
  FakeSocket.last.say({ type: 'health', reader: 'ok', broker: 'ok', since: 1 })
  FakeSocket.last.say({ type: 'error', code: 'bad', message: 'No.' })
  FakeSocket.last.say({ type: 'hello', store: 'two' })
}

describe('listeners', () => {
  it('hear everything, each of them, until they leave', () => {
    const [one, other] = [ear(), ear()]
    const leave = hub.listen(one.handlers)
    hub.listen(other.handlers)
    // A listener without handlers does no harm.
    hub.listen({})
    hub.live.open()
    sayAll()
    const all = {
      state: 3,
      frames: 1,
      runs: 1,
      refetch: 1,
      removed: 1,
      health: 1,
      storeChanged: 1,
      heard: 8,
      trouble: 1,
    }
    expect(one.heard()).toEqual(all)
    expect(other.heard()).toEqual(all)
    expect(one.handlers.refetch).toHaveBeenCalledWith([1])
    expect(one.handlers.removed).toHaveBeenCalledWith([1])
    expect(one.handlers.storeChanged).toHaveBeenCalledWith('two')
    expect(one.handlers.trouble).toHaveBeenCalledWith('No. (bad)')
    leave()
    FakeSocket.last.say({ type: 'health', reader: 'ok', broker: 'ok', since: 1 })
    expect([one.heard()['health'], other.heard()['health']]).toEqual([1, 2])
  })
})

describe('the series store', () => {
  const held = (): number[] => {
    const columns = hub.series.peek(1)?.full
    return [...(columns?.value.subarray(0, columns.length) ?? [])]
  }
  const questions = (): number => server.asked.length

  beforeEach(async () => {
    hub.live.open()
    FakeSocket.last.hello('one')
    hub.series.watch(1, 600, () => undefined)
    await settle()
  })

  it('has what came before others hear of it', () => {
    const seen: number[][] = []
    hub.listen({ frames: () => seen.push(held()) })
    FakeSocket.last.bytes(encodeFrame({ series: 1, first: 2, value: [7] }))
    expect(seen).toEqual([[5, 6, 7]])
  })

  it('fetches views where the server says so, and lets go of what is gone', async () => {
    FakeSocket.last.say({ type: 'refetch', series: [[1, 2]] })
    await settle()
    expect(questions()).toBe(2)
    FakeSocket.last.say({ type: 'removed', series: [1] })
    expect(hub.series.peek(1)).toBeUndefined()
  })

  it('asks again for what failed, once the connection is there', async () => {
    server.refusals.set('/api/scalars/points', 'unreachable')
    hub.series.refetch([1])
    await settle()
    server.refusals.clear()
    const before = questions()
    FakeSocket.last.drop()
    await settle()
    expect(questions()).toBe(before)
    hub.live.retryNow()
    FakeSocket.last.hello('one')
    await settle()
    expect(questions()).toBe(before + 1)
    expect(hub.series.peek(1)?.error).toBeNull()
  })

  it('begins anew with another store', async () => {
    server.points.set(1, [9])
    FakeSocket.last.say({ type: 'hello', store: 'two' })
    expect(held()).toEqual([])
    await settle()
    expect(held()).toEqual([9])
  })
})

it('there is one hub for all, until another takes its place', () => {
  expect(useHub()).toBe(hub)
  hub.live.open()
  setHub(null)
  expect(FakeSocket.last.closedWith).toBe(1000)
  const own = useHub()
  expect(own).not.toBe(hub)
  expect(useHub()).toBe(own)
})

it('a page connects to the server that it came from', () => {
  class BrowserSocket extends FakeSocket {
    static readonly CLOSED = 3
  }
  vi.stubGlobal('WebSocket', BrowserSocket)
  vi.spyOn(document, 'baseURI', 'get').mockReturnValue('https://there:8080/tools/')
  setHub(null)
  useHub().live.open()
  expect(FakeSocket.last.url).toBe('wss://there:8080/tools/ws/live')
  setHub(null)
})
