import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { LastingSocket, PING_EVERY, PONG_WITHIN, socketUrl, type SocketState } from './lastingSocket'
import { FakeSocket } from '../testing/socket'

const states: SocketState[] = []
const received = vi.fn()
const ended = vi.fn()
let line: LastingSocket

function made(changes: { random?: () => number; socket?: (url: string) => WebSocket } = {}): LastingSocket {
  const state = (now: SocketState): void => void states.push(now)
  return new LastingSocket({ url: 'ws://here/ws', received, state, ended, socket: FakeSocket.make, ...changes })
}
/** Opens the newest socket, as a server that greets. */
function greet(): void {
  FakeSocket.last.hello()
  line.greeted()
}

beforeEach(() => {
  vi.useFakeTimers()
  FakeSocket.made = []
  states.length = 0
  received.mockReset()
  ended.mockReset()
  line = made({ random: () => 0.5 })
})
afterEach(() => {
  line.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it.each([
  ['http://here:8080/tools', 'ws://here:8080/tools/ws/live'],
  ['https://here', 'wss://here/ws/live'],
])('the address of a socket below %s is %s', (base, url) => {
  expect(socketUrl(base, '/ws/live')).toBe(url)
})

describe('a socket', () => {
  it('is opened once, and gives bytes as buffers', () => {
    line.open()
    line.open()
    expect(FakeSocket.made.map(({ url, binaryType }) => [url, binaryType])).toEqual([['ws://here/ws', 'arraybuffer']])
    expect(states).toEqual([{ phase: 'connecting', lostSince: null, retryAt: null, closeCode: null }])
  })

  it('gives on what it receives as it came', () => {
    line.open()
    const bytes = new ArrayBuffer(8)
    FakeSocket.last.bytes(bytes)
    FakeSocket.last.say({ type: 'x' })
    expect(received.mock.calls).toEqual([[bytes], ['{"type":"x"}']])
  })

  it('sends only where there is a connection', () => {
    line.send({ type: 'early' })
    line.open()
    const socket = FakeSocket.last
    line.send({ type: 'waiting' })
    greet()
    line.send({ type: 'heard' })
    socket.readyState = WebSocket.CLOSING
    line.send({ type: 'late' })
    expect(socket.sent).toEqual([{ type: 'heard' }])
  })

  it('is one of the browser where no other is given', () => {
    class BrowserSocket extends FakeSocket {
      static readonly CLOSED = 3
    }
    vi.stubGlobal('WebSocket', BrowserSocket)
    const usual = new LastingSocket({ url: 'ws://there/ws', received, state: () => undefined })
    usual.open()
    expect(FakeSocket.last.url).toBe('ws://there/ws')
    usual.close()
  })

  it('leaves with a word, and takes its listeners along', () => {
    const targets = [window, document]
    const came = targets.map((target) => vi.spyOn(target, 'addEventListener'))
    const went = targets.map((target) => vi.spyOn(target, 'removeEventListener'))
    line.open()
    greet()
    line.close()
    expect(FakeSocket.last.closedWith).toBe(1000)
    expect(came.map(({ mock }) => mock.calls.length)).toEqual([1, 1])
    expect(went.map(({ mock }) => mock.calls)).toEqual(came.map(({ mock }) => mock.calls))
    expect(ended).toHaveBeenCalledTimes(1)
    expect(states.at(-1)?.phase).toBe('open')
  })

  it('that is closed comes back when it is opened again', () => {
    line.open()
    line.close()
    line.retryNow()
    expect(FakeSocket.made.length).toBe(1)
    line.open()
    expect(FakeSocket.made.length).toBe(2)
  })
})

describe('a lost socket', () => {
  it('is told with its code, since when, and when the next comes', () => {
    vi.setSystemTime(5000)
    line.open()
    greet()
    FakeSocket.last.drop(1012)
    expect(states.at(-1)).toEqual({ phase: 'lost', lostSince: 5000, retryAt: 5250, closeCode: 1012 })
    expect(ended).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(250)
    expect(states.at(-1)).toEqual({ phase: 'lost', lostSince: 5000, retryAt: null, closeCode: 1012 })
  })

  it.each([
    [0, 200],
    [1, 300],
  ])('waits a little less or more than others: at %i it is %i ms', (random, pause) => {
    line = made({ random: () => random })
    line.open()
    FakeSocket.last.drop()
    expect((states.at(-1)?.retryAt ?? 0) - Date.now()).toBe(pause)
  })

  it('waits by chance where nothing else is given', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25)
    line = made()
    line.open()
    FakeSocket.last.drop()
    expect((states.at(-1)?.retryAt ?? 0) - Date.now()).toBe(225)
  })

  it.each(['a greeting', 'somebody who asks'])('waits shortly again after %s', (who) => {
    line.open()
    for (const pause of [250, 500]) {
      FakeSocket.last.drop()
      vi.advanceTimersByTime(pause)
    }
    if (who === 'a greeting') greet()
    else {
      FakeSocket.last.drop()
      line.retryNow()
    }
    FakeSocket.last.drop()
    expect((states.at(-1)?.retryAt ?? 0) - Date.now()).toBe(250)
  })

  it('is replaced once, however often somebody asks', () => {
    line.retryNow()
    line.open()
    line.retryNow()
    expect(FakeSocket.made.length).toBe(1)
    FakeSocket.last.drop()
    line.retryNow()
    line.retryNow()
    vi.advanceTimersByTime(5000)
    expect(FakeSocket.made.length).toBe(2)
  })

  it('does not come back for a page that is hidden', () => {
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    line.open()
    FakeSocket.last.drop()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeSocket.made.length).toBe(1)
    visibility.mockReturnValue('visible')
    document.dispatchEvent(new Event('visibilitychange'))
    expect(FakeSocket.made.length).toBe(2)
  })

  it('is not closed once more', () => {
    line.open()
    greet()
    const close = vi.spyOn(FakeSocket.last, 'close')
    FakeSocket.last.drop()
    expect(close).not.toHaveBeenCalled()
  })
})

describe('silence', () => {
  it('is broken by a ping, each with a number of its own', () => {
    line.open()
    greet()
    for (const id of [1, 2]) {
      vi.advanceTimersByTime(PING_EVERY - 1)
      expect(FakeSocket.last.of('ping').length).toBe(id - 1)
      vi.advanceTimersByTime(1)
      expect(FakeSocket.last.of('ping').at(-1)).toEqual({ type: 'ping', id })
      FakeSocket.last.say({ type: 'pong', id })
    }
  })

  it('after a ping ends the socket', () => {
    line.open()
    greet()
    const socket = FakeSocket.last
    vi.advanceTimersByTime(PING_EVERY + PONG_WITHIN - 1)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    vi.advanceTimersByTime(1)
    expect([socket.readyState, socket.closedWith]).toEqual([WebSocket.CLOSED, undefined])
    expect(states.at(-1)).toMatchObject({ phase: 'lost', closeCode: 1006 })
    socket.say({ type: 'late' })
    expect(received).not.toHaveBeenCalledWith('{"type":"late"}')
  })
})
