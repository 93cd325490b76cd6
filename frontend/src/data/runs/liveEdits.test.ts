import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'

import { useConnection } from '../live/connection'
import { createHub, setHub } from '../live/hub'
import { useLiveEdits, type LiveEdits } from './liveEdits'
import { useRuns } from './runs'
import { fakeServer, wireRun, type FakeServer } from '../testing/server'
import { FakeSocket } from '../testing/socket'

const PATH = '/api/runs/edits'
let server: FakeServer
let scope: EffectScope

const edit = (run: number, step: number, changes = {}) => ({
  run,
  segment: 0,
  step,
  wall_time: 1000 + step,
  name: 'learning_rate',
  before: 0.1,
  after: 0.01,
  author: '',
  note: '',
  error: null,
  ...changes,
})
const say = (...edits: object[]) => server.refusals.set(PATH, { status: 200, body: { edits } })
const asked = (): (string | null)[] =>
  server.asked.filter(({ pathname }) => pathname === PATH).map(({ searchParams }) => searchParams.get('runs'))

async function open(): Promise<LiveEdits> {
  const runs = useRuns()
  await runs.load()
  useConnection()
  FakeSocket.last.hello()
  const found = scope.run(() => useLiveEdits(() => runs.visible))
  await vi.advanceTimersByTimeAsync(2000)
  return found as LiveEdits
}

async function grow(bytes: number): Promise<void> {
  FakeSocket.last.say({
    type: 'runs',
    complete: false,
    runs: [wireRun(1, { bytes_read: bytes })],
    removed: [],
    series: [],
  })
  await vi.advanceTimersByTimeAsync(1500)
}

beforeEach(() => {
  vi.useFakeTimers()
  server = fakeServer()
  server.runs = [wireRun(1), wireRun(2)]
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  setHub(null)
  vi.useRealTimers()
})

describe('live edits', () => {
  it('are those of the visible runs, and nothing of what cannot be read', async () => {
    say(
      edit(1, 4),
      edit(1, 9, { error: { code: 'record_damaged', message: 'no', detail: {} } }),
      edit(2, 7, { wall_time: 'NaN' }),
    )
    const edits = await open()
    expect(asked()).toEqual(['2,1'])
    expect(edits.of(1)).toEqual([{ step: 4, wall: 1004, change: { name: 'learning_rate', before: 0.1, after: 0.01 } }])
    expect(edits.of(2)).toMatchObject([{ step: 7, wall: NaN }])
    expect(edits.of(3)).toEqual([])
  })

  it('are asked for again when something was recorded, and stay where that fails', async () => {
    say()
    const edits = await open()
    say(edit(1, 12))
    await grow(20)
    expect(edits.of(1)).toMatchObject([{ step: 12 }])
    server.refusals.set(PATH, 'unreachable')
    await grow(30)
    expect(asked()).toHaveLength(3)
    expect(edits.of(1)).toMatchObject([{ step: 12 }])
  })

  it('are not asked for where no run is visible', async () => {
    server.runs = []
    const edits = await open()
    expect(asked()).toEqual([])
    expect(edits.of(1)).toEqual([])
  })
})
