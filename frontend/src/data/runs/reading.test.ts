import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'

import { useConnection } from '../live/connection'
import { createHub, setHub } from '../live/hub'
import { progressOf, SHOW_AFTER, sumOf, useReading, type Progress } from './reading'
import type { WireRun } from '../rows'
import { useRuns } from './runs'
import { FakeSocket } from '../testing/socket'
import { fakeServer, wireRun, type FakeServer } from '../testing/server'

const BEHIND = { bytes: 1000, bytes_read: 610, reading: { events_per_second: 3.2e6, seconds_left: 12 } }

let server: FakeServer

beforeEach(() => {
  vi.useFakeTimers()
  server = fakeServer()
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
})
afterEach(() => {
  setHub(null)
  vi.useRealTimers()
})

async function tell(...runs: WireRun[]): Promise<void> {
  FakeSocket.last.say({ type: 'runs', complete: false, runs, removed: [], series: [] })
  await nextTick()
}

describe('the progress of a run', () => {
  it('is shown only of what has been read for a while', async () => {
    server.runs = [wireRun(1)]
    const runs = useRuns()
    await runs.load()
    useConnection()
    FakeSocket.last.hello()
    const reading = useReading()
    const shown = (): Progress | null => reading.of(runs.byNumber.get(1)!)
    await tell(wireRun(1, BEHIND))
    expect(shown()).toBeNull()
    await vi.advanceTimersByTimeAsync(SHOW_AFTER - 100)
    await tell(wireRun(1))
    await tell(wireRun(1, BEHIND))
    await vi.advanceTimersByTimeAsync(SHOW_AFTER - 100)
    expect(shown()).toBeNull()
    await vi.advanceTimersByTimeAsync(200)
    expect(shown()).toEqual({ runs: 1, done: 610, total: 1000, eventsPerSecond: 3.2e6, secondsLeft: 12 })
    await tell(wireRun(1, { ...BEHIND, bytes_read: 700 }))
    expect(shown()?.done).toBe(700)
    await tell(wireRun(1, { ...BEHIND, bytes_read: 1000, reading: null }))
    expect(shown()).toBeNull()
  })

  it('of all together does not begin anew when one of them is done', async () => {
    server.runs = [1, 2].map((run) => wireRun(run, { ...BEHIND, bytes_read: 0 }))
    const runs = useRuns()
    await runs.load()
    useConnection()
    FakeSocket.last.hello()
    const reading = useReading()
    await vi.advanceTimersByTimeAsync(SHOW_AFTER + 100)
    expect(reading.total(runs.rows)).toMatchObject({ runs: 2, done: 0, total: 2000 })
    await tell(wireRun(1, { ...BEHIND, bytes_read: 1000, reading: null }), wireRun(2, { ...BEHIND, bytes_read: 100 }))
    expect(reading.total(runs.rows)).toMatchObject({ runs: 1, done: 1100, total: 2000 })
    await tell(wireRun(2, { ...BEHIND, bytes_read: 1000, reading: null }))
    expect(reading.total(runs.rows)).toBeNull()
    await tell(wireRun(2, BEHIND))
    await vi.advanceTimersByTimeAsync(SHOW_AFTER + 100)
    expect(reading.total(runs.rows)).toMatchObject({ runs: 1, done: 610, total: 1000 })
  })

  it('is shown of each run in its own time, whatever becomes of others meanwhile', async () => {
    server.runs = [1, 2, 3].map((run) => wireRun(run))
    const runs = useRuns()
    await runs.load()
    useConnection()
    FakeSocket.last.hello()
    const reading = useReading()
    const shown = (): number[] => runs.rows.filter((run) => reading.of(run)).map((run) => run.number)
    await tell(wireRun(1, BEHIND), wireRun(2, BEHIND))
    await vi.advanceTimersByTimeAsync(100)
    await tell(wireRun(2))
    await vi.advanceTimersByTimeAsync(SHOW_AFTER - 90)
    expect(shown()).toEqual([1])
    await tell(wireRun(2, BEHIND))
    await vi.advanceTimersByTimeAsync(200)
    await tell(wireRun(3, BEHIND))
    await vi.advanceTimersByTimeAsync(SHOW_AFTER - 100)
    expect(shown()).not.toContain(3)
    await vi.advanceTimersByTimeAsync(110)
    expect(shown().toSorted()).toEqual([1, 2, 3])
    await tell(wireRun(1))
    expect(shown().toSorted()).toEqual([2, 3])
  })

  it('is nothing without a back-log or without a word of the server', async () => {
    server.runs = [wireRun(1, { bytes: 10, bytes_read: 5 }), wireRun(2, { ...BEHIND, bytes_read: 1000 })]
    const runs = useRuns()
    await runs.load()
    expect(runs.rows.map(progressOf)).toEqual([null, null])
  })
})

it('of several runs lasts as long as the slowest, where all can tell', () => {
  const one: Progress = { runs: 1, done: 5, total: 10, eventsPerSecond: 100, secondsLeft: 3 }
  expect(sumOf([one, { ...one, secondsLeft: 9 }])).toEqual({
    runs: 2,
    done: 10,
    total: 20,
    eventsPerSecond: 200,
    secondsLeft: 9,
  })
  expect(sumOf([one, { ...one, secondsLeft: null }])?.secondsLeft).toBeNull()
  expect(sumOf([])).toBeNull()
})
