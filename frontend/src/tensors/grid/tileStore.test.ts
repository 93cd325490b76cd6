/** Fetching, cancelling and caching of tiles. */
import { expect, it, vi } from 'vitest'

import { ApiProblem } from '../../data/types'
import { TileStore } from './tileStore'
import type { TileAt } from './viewport'

const at = (row: number): TileAt => ({ level: 0, row, column: 0 })
function bytes(): ArrayBuffer {
  const buffer = new ArrayBuffer(36)
  new Uint32Array(buffer).set([1, 0, 1, 1, 10, 0, 0, 0])
  return buffer
}

it('fetches a few at a time, the first first', async () => {
  const asked: number[] = []
  const changed = vi.fn()
  const store = new TileStore((tile) => {
    asked.push(tile.row)
    return Promise.resolve(bytes())
  }, changed)
  store.want([3, 1, 2, 5, 4].map(at))
  expect(asked).toEqual([3, 1, 2, 5])
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(5))
  expect(store.get(at(4))).toMatchObject({ kind: 'values', rows: 1 })
  store.want([at(3)])
  expect(asked).toHaveLength(5)
})

it('gives up what went out of view', () => {
  const signals: AbortSignal[] = []
  const store = new TileStore(
    (_, signal) => {
      signals.push(signal)
      return new Promise(() => undefined)
    },
    () => undefined,
  )
  store.want([at(1), at(2)])
  store.want([at(2), at(3)])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false])
  store.end()
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

it('keeps the last ones and stops at a failure until it is told to go on', async () => {
  let fails = false
  const load = vi.fn(() =>
    fails ? Promise.reject(new ApiProblem('file_gone', 'gone', {}, 404)) : Promise.resolve(bytes()),
  )
  const store = new TileStore(load, () => undefined)
  for (let first = 0; first < 200; first += 4) {
    store.want([0, 1, 2, 3].map((each) => at(first + each)))
    await vi.waitFor(() => expect(store.busy).toBe(false))
  }
  expect(store.get(at(0))).toBeUndefined()
  expect(store.get(at(199))).toBeDefined()
  fails = true
  store.want([at(500)])
  await vi.waitFor(() => expect(store.problem?.code).toBe('file_gone'))
  const before = load.mock.calls.length
  store.want([at(501)])
  expect(load.mock.calls.length).toBe(before)
  fails = false
  store.retry()
  await vi.waitFor(() => expect(store.get(at(501))).toBeDefined())
})
