import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { nextTick, shallowRef } from 'vue'

import { useChosenRuns } from './chosenRuns'
import { useRuns } from './runs'
import { fakeServer, wireRun, type FakeServer } from '../testing/server'

let server: FakeServer

beforeEach(() => {
  setActivePinia(createPinia())
  server = fakeServer()
  server.runs = [1, 2, 3].map((run) => wireRun(run))
})

it('selected runs come in the order in which they were selected, without those that nobody knows', async () => {
  await useRuns().load()
  const selection = shallowRef<ReadonlySet<number>>(new Set([3, 77, 1]))
  expect(useChosenRuns(selection).value.map(({ number }) => number)).toEqual([3, 1])
})

it('runs that leave the dashboard leave the selection, which stays the same otherwise', async () => {
  await useRuns().load()
  const before = new Set([3, 1])
  const selection = shallowRef<ReadonlySet<number>>(before)
  useChosenRuns(selection)
  server.runs = [1, 3].map((run) => wireRun(run))
  await useRuns().load()
  await nextTick()
  expect(selection.value).toBe(before)
  server.runs = [wireRun(1)]
  await useRuns().load()
  await nextTick()
  expect([...selection.value]).toEqual([1])
})
