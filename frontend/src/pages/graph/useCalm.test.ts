import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'

import { useCalm } from './useCalm'

describe('what follows the drawing', () => {
  let scope: EffectScope
  beforeEach(() => {
    vi.useFakeTimers()
    scope = effectScope()
  })
  afterEach(() => {
    scope.stop()
    vi.useRealTimers()
  })
  const follow = (rests: boolean) => {
    const [value, calm] = [ref('a'), ref(rests)]
    const shown = scope.run(() =>
      useCalm(
        () => value.value,
        () => calm.value,
      ),
    )
    const put = async (next: string): Promise<void> => {
      value.value = next
      await nextTick()
    }
    return { calm, put, now: () => shown?.value }
  }

  it('is taken over once the drawing rests', async () => {
    const { calm, put, now } = follow(false)
    await put('b')
    vi.advanceTimersByTime(200)
    expect(now()).toBe('a')
    calm.value = true
    await nextTick()
    vi.advanceTimersByTime(50)
    expect(now()).toBe('b')
  })
  it('does not wait for ever', async () => {
    const { put, now } = follow(false)
    await put('b')
    vi.advanceTimersByTime(299)
    expect(now()).toBe('a')
    vi.advanceTimersByTime(1)
    expect(now()).toBe('b')
  })
  it('is not held up again by what comes while it waits', async () => {
    const { put, now } = follow(false)
    await put('b')
    vi.advanceTimersByTime(200)
    await put('c')
    vi.advanceTimersByTime(100)
    expect(now()).toBe('c')
  })
  it('stays where the value has come back', async () => {
    const { put, now } = follow(true)
    await put('b')
    await put('a')
    vi.advanceTimersByTime(1000)
    expect(now()).toBe('a')
  })
})
