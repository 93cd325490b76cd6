import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, nextTick, ref } from 'vue'

import { fetchGroups } from '../../../data/series/groups'
import { useRunLayers } from './useRunLayers'

vi.mock('../../../data/series/groups', () => ({ fetchGroups: vi.fn(), fetchDensity: vi.fn() }))

const rows = ref<{ count: number; min: number; max: number }[]>([])
let answer: (found: never[]) => void
let asked: AbortSignal[] = []

function open() {
  return mount(
    defineComponent({
      setup() {
        useRunLayers({
          tag: () => 'loss',
          wanted: () => 'bands',
          groups: () => [{ runs: [1, 2], name: 'all', colour: '#000' }] as never,
          view: () =>
            ({ x: 'step', xScale: 'linear', yScale: 'linear', smoothing: { amount: 0, kind: 'ema' } }) as never,
          line: () => 'mean' as never,
          band: () => 'std' as never,
          range: () => null,
          size: () => ({ width: 300, height: 200 }),
          rows: () => rows.value as never,
        })
        return () => null
      },
    }),
  )
}

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  rows.value = [{ count: 100, min: 0, max: 1 }]
  vi.mocked(fetchGroups).mockImplementation((_tag, _groups, _look, signal) => {
    asked.push(signal as AbortSignal)
    return new Promise((resolve) => {
      answer = resolve as never
    })
  })
})
afterEach(() => vi.useRealTimers())

describe('what several runs have in common', () => {
  it('is asked once, however long the answer takes', async () => {
    const page = open()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asked).toHaveLength(1)
    expect(asked[0].aborted).toBe(false)
    page.unmount()
    expect(asked[0].aborted).toBe(true)
  })

  it('is asked again for new points when the answer is there, and not before', async () => {
    const page = open()
    rows.value = [{ count: 200, min: 0, max: 1 }]
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toHaveLength(1)
    answer([])
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toHaveLength(2)
    answer([])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toHaveLength(2)
    rows.value = [{ count: 300, min: 0, max: 1 }]
    await nextTick()
    await vi.advanceTimersByTimeAsync(2_100)
    expect(asked).toHaveLength(3)
    page.unmount()
  })
})
