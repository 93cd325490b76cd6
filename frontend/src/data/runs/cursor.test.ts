import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { useCursor } from './cursor'
import { createHub, setHub, useHub } from '../live/hub'
import type { Steps } from '../series/loggedSteps'
import { useRuns } from './runs'
import { FakeSocket } from '../testing/socket'
import { encodeFrame } from '../testing/frames'
import { fakeServer, settle, wireRun, wireSeries, type FakeServer } from '../testing/server'

let server: FakeServer

beforeEach(() => {
  server = fakeServer()
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
})
afterEach(() => setHub(null))

/** Steps of data other than curves. */
const steps = (...step: number[]): Steps => ({
  length: step.length,
  step,
  rowAt: (at) => step.filter((one) => one <= at).length - 1,
})

describe('the extent', () => {
  it('reaches over what a page shows besides curves', async () => {
    server.runs = [wireRun(1, { last_step: null })]
    await useRuns().load()
    const cursor = useCursor()
    expect(cursor.extent).toBeNull()
    const end = cursor.follows(() => [steps(40, 45, 50), steps(), steps(42, 60)])
    expect(cursor.extent).toEqual({ first: 40, last: 60 })
    end()
    expect(cursor.extent).toBeNull()
  })

  it('begins with the first step of a visible series, at 0 where none tells', async () => {
    server.runs = [wireRun(1, { last_step: 50 }), wireRun(2, { last_step: 60 })]
    server.tags = {
      loss: [wireSeries(1, 11, { first_step: null }), wireSeries(2, 21, { first_step: 3 })],
      late: [wireSeries(1, 12, { first_step: 8 })],
    }
    const runs = useRuns()
    await runs.load()
    const cursor = useCursor()
    expect(cursor.extent).toEqual({ first: 3, last: 60 })
    runs.only(1)
    expect(cursor.extent).toEqual({ first: 8, last: 50 })
    server.tags = {}
    setActivePinia(createPinia())
    await useRuns().load()
    expect(useCursor().extent).toEqual({ first: 0, last: 60 })
  })
})

describe('moving', () => {
  it('goes from one logged step to the next, of curves and of what else is shown', async () => {
    server.runs = [wireRun(1, { last_step: 40 })]
    server.tags = { loss: [wireSeries(1, 11)] }
    server.views.set(11, encodeFrame({ series: 11, end: 4, step: [0, 10, 20, 40], value: [1, 1, 1, 1] }))
    await useRuns().load()
    const cursor = useCursor()
    useHub().series.watch(11, 600, () => undefined)
    await settle()
    const end = cursor.follows(() => [steps(15)])
    cursor.set(20.4)
    expect(cursor.step).toBe(20)
    const walk = [-2, 1, 1, -9].map((delta) => {
      cursor.move(delta)
      return cursor.step
    })
    expect(walk).toEqual([10, 15, 20, 0])
    end()
    cursor.move(2)
    expect([cursor.step, cursor.follow]).toEqual([20, false])
    cursor.move(1)
    expect([cursor.step, cursor.follow]).toEqual([null, true])
    // From after the newest step, going back ends there.
    cursor.set(90)
    cursor.move(-1)
    expect([cursor.step, cursor.follow]).toEqual([40, false])
  })

  it('is nothing where there is no step', () => {
    const cursor = useCursor()
    cursor.move(1)
    cursor.move(-1)
    expect([cursor.step, cursor.extent]).toEqual([null, null])
  })
})
