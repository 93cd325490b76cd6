import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'

import { holdBack, letGo } from '../firstView'
import { useConnection } from './connection'
import { createHub, setHub } from './hub'
import { FakeSocket } from '../testing/socket'

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime(1_000_000)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
})
afterEach(() => {
  setHub(null)
  vi.useRealTimers()
})

describe('the connection', () => {
  it('is opened once the page shows something', async () => {
    holdBack()
    const connection = useConnection()
    expect(connection.$state).toEqual({
      phase: 'connecting',
      lostSince: null,
      retryAt: null,
      closeCode: null,
      reader: 'ok',
      broker: 'ok',
      disk: null,
      healthSince: null,
      lastFrameAt: null,
      trouble: null,
    })
    expect(FakeSocket.made.length).toBe(0)
    letGo()
    await nextTick()
    expect(FakeSocket.made.length).toBe(1)
  })

  it('tells how it is', () => {
    const connection = useConnection()
    FakeSocket.last.hello()
    expect(connection.phase).toBe('open')
    FakeSocket.last.drop(1012)
    const { phase, lostSince, retryAt, closeCode } = connection
    expect({ phase, lostSince, retryAt, closeCode }).toEqual({
      phase: 'lost',
      lostSince: 1_000_000,
      retryAt: 1_000_250,
      closeCode: 1012,
    })
    connection.retryNow()
    expect(FakeSocket.made.length).toBe(2)
  })

  it('tells how the server is', () => {
    const connection = useConnection()
    const disk = { condition: 'full', directory: '/data', free: 0 }
    FakeSocket.last.say({ type: 'health', reader: 'down', broker: 'down', since: 900, disk })
    expect(connection).toMatchObject({ reader: 'down', broker: 'down', disk, healthSince: 900_000 })
    FakeSocket.last.say({ type: 'health', reader: 'ok', broker: 'ok', since: 950 })
    expect(connection).toMatchObject({ reader: 'ok', broker: 'ok', disk: null, healthSince: 950_000 })
  })

  it('tells when it was heard last, ten times a second at most', () => {
    const connection = useConnection()
    const heard = [0, 99, 1, 50, 50].map((later) => {
      vi.advanceTimersByTime(later)
      FakeSocket.last.say({ type: 'pong', id: 1 })
      return (connection.lastFrameAt ?? 0) - 1_000_000
    })
    expect(heard).toEqual([0, 0, 100, 100, 200])
  })

  it('tells what was not understood', () => {
    const connection = useConnection()
    FakeSocket.last.say({ type: 'error', code: 'bad_message', message: 'No.' })
    expect(connection.trouble).toBe('No. (bad_message)')
  })
})
