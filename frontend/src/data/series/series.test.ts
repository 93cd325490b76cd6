import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'

import { thinOut } from './envelope'
import { createHub, setHub, useHub } from '../live/hub'
import { decodeFrames } from '../frames'
import { useSpark } from './series'
import { encodeFrame } from '../testing/frames'
import { fakeServer, settle } from '../testing/server'
import { FakeSocket } from '../testing/socket'

describe('useSpark', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    setHub(createHub('ws://here/ws/live', FakeSocket.make))
  })
  afterEach(() => {
    setHub(null)
    vi.useRealTimers()
  })

  it('gives points, follows live ones in its own rhythm, and lets go', async () => {
    const server = fakeServer()
    server.points.set(1, [3, 2])
    server.points.set(2, [9])
    const series = ref<number | null>(1)
    const scope = effectScope()
    const { points } = scope.run(() => useSpark(() => series.value))!
    await settle()
    await vi.advanceTimersByTimeAsync(500)
    expect([points.value?.x, points.value?.y].map((one) => [...(one ?? [])])).toEqual([
      [0, 1],
      [3, 2],
    ])
    useHub().series.receive(decodeFrames(encodeFrame({ series: 1, first: 2, value: [1] })))
    expect(points.value?.y.length).toBe(2)
    await vi.advanceTimersByTimeAsync(500)
    expect([...(points.value?.y ?? [])]).toEqual([3, 2, 1])
    series.value = null
    await nextTick()
    expect(points.value).toBeNull()
    series.value = 2
    await nextTick()
    await settle()
    await vi.advanceTimersByTimeAsync(500)
    expect([...(points.value?.y ?? [])]).toEqual([9])
    scope.stop()
    expect([...useHub().series.watched()]).toEqual([])
  })

  it('draws twice a second at most', async () => {
    const server = fakeServer()
    server.points.set(1, [3])
    const scope = effectScope()
    const { points } = scope.run(() => useSpark(() => 1))!
    await settle()
    await vi.advanceTimersByTimeAsync(500)
    const receive = (first: number): void =>
      useHub().series.receive(decodeFrames(encodeFrame({ series: 1, first, value: [first] })))
    receive(1)
    await vi.advanceTimersByTimeAsync(10)
    expect([...(points.value?.y ?? [])]).toEqual([3, 1])
    receive(2)
    await vi.advanceTimersByTimeAsync(400)
    expect([...(points.value?.y ?? [])]).toEqual([3, 1])
    receive(3)
    await vi.advanceTimersByTimeAsync(100)
    expect([...(points.value?.y ?? [])]).toEqual([3, 1, 2, 3])
    scope.stop()
  })

  it('watches nothing where nothing is wanted', () => {
    const scope = effectScope()
    const { points } = scope.run(() => useSpark(() => null))!
    expect([points.value, [...useHub().series.watched()]]).toEqual([null, []])
    scope.stop()
  })
})

describe('thinOut', () => {
  const x = Float64Array.from({ length: 10_000 }, (_, row) => row)
  const y = Float64Array.from(x, (row) => Math.sin(row / 300))

  it('keeps few points as they are', () => {
    expect([...thinOut(x, y, 5, 100)]).toEqual([0, 1, 2, 3, 4])
  })

  it('keeps every extreme, the ends and what is not finite', () => {
    const spiked = y.slice()
    spiked[4321] = 99
    spiked[7777] = -99
    spiked[5000] = NaN
    const rows = thinOut(x, spiked, x.length, 100)
    for (const row of [0, 4321, 5000, 7777, 9999]) expect(rows).toContain(row)
    expect(rows.length).toBeLessThanOrEqual(5 * 101)
    expect([...rows]).toEqual([...rows].sort((a, b) => a - b))
  })

  it('keeps up to two points for each pixel, however they lie', () => {
    const crowded = Float64Array.from({ length: 200 }, (_, row) => (row < 199 ? row : 100_000))
    expect(thinOut(crowded, y, 200, 100).length).toBe(200)
    expect(thinOut(crowded, y, 200, 99).length).toBeLessThan(20)
  })

  it('keeps the first of equals in each pixel, wherever the line begins', () => {
    const line = Float64Array.of(1, NaN, NaN, 5, 0, 5, 0, 2, 2, 2)
    for (const start of [0, 50_000, -7]) {
      const rows = thinOut(
        Float64Array.from(line, (_, row) => start + row),
        line,
        line.length,
        1,
      )
      expect([...rows]).toEqual([0, 1, 3, 4, 8, 9])
    }
  })

  it('draws nothing but gaps of nothing but NaN', () => {
    expect(thinOut(x, new Float64Array(x.length).fill(NaN), x.length, 10).length).toBe(11)
  })
})
