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

  it('are asked for when other runs are wanted, not when the same come in another order', async () => {
    const scoped = scope.run(() => useLiveEdits(() => useRuns().visible)) as LiveEdits
    say(edit(1, 4))
    await useRuns().load()
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked().at(-1)).toBe('2,1')
    const before = asked().length
    useRuns().choose([1, 2])
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked().length).toBe(before)
    useRuns().choose([2])
    // Earlier than what was recorded in the meantime.
    await vi.advanceTimersByTimeAsync(900)
    expect(asked().slice(before)).toEqual(['2'])
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked().slice(before)).toEqual(['2'])
    expect(scoped.of(1)).toHaveLength(1)
    useRuns().choose([])
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked().length).toBe(before + 1)
    expect(scoped.of(1)).toEqual([])
  })

  it('are asked for once a second at most, and not for runs that nobody wants', async () => {
    say(edit(1, 4))
    const edits = await open()
    const [first, before] = [edits.of(1), asked().length]
    await grow(20)
    expect(asked().length).toBe(before + 1)
    // The same answer causes no new drawing.
    expect(edits.of(1)).toBe(first)
    useRuns().choose([2])
    await vi.advanceTimersByTimeAsync(2000)
    await grow(30)
    expect(asked().slice(before + 1)).toEqual(['2'])
  })

  it('are asked for anew after a rebuilt store', async () => {
    say(edit(1, 4))
    const edits = await open()
    say(edit(1, 5))
    FakeSocket.last.hello('two')
    await vi.advanceTimersByTimeAsync(0)
    expect(edits.of(1)).toMatchObject([{ step: 5 }])
  })

  /** Answers about edits from here on. Each is released by its function, with the state at the time of the request. */
  function heldBack(): (() => Promise<unknown>)[] {
    const answers: (() => Promise<unknown>)[] = []
    const now = globalThis.fetch
    vi.stubGlobal('fetch', (request: Request) => {
      const answer = now(request)
      if (!request.url.includes(PATH)) return answer
      return new Promise((resolve) => {
        answers.push(() => {
          resolve(answer)
          return vi.advanceTimersByTimeAsync(0)
        })
      })
    })
    return answers
  }

  it('are the newest that were asked for, whichever come first', async () => {
    say(edit(1, 4))
    const edits = await open()
    const answers = heldBack()
    for (const step of [5, 6]) {
      say(edit(1, step))
      await grow(step)
    }
    await answers[1]()
    expect(edits.of(1)).toMatchObject([{ step: 6 }])
    await answers[0]()
    expect(edits.of(1)).toMatchObject([{ step: 6 }])
  })

  it('are nobody’s after the component is gone', async () => {
    say(edit(1, 4))
    const edits = await open()
    const answers = heldBack()
    say(edit(1, 5))
    FakeSocket.last.hello('two')
    await vi.advanceTimersByTimeAsync(0)
    scope.stop()
    await answers[0]()
    expect(edits.of(1)).toMatchObject([{ step: 4 }])
    const before = asked().length
    FakeSocket.last.hello('three')
    await grow(50)
    expect(asked().length).toBe(before)
  })
})
