import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { nextTask, whenIdle } from './idle'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => vi.useRealTimers())

it('waits until the browser has nothing better to do, but two seconds at most', () => {
  const asked: [() => void, IdleRequestOptions | undefined][] = []
  vi.stubGlobal('requestIdleCallback', (work: () => void, options?: IdleRequestOptions) => asked.push([work, options]))
  const work = vi.fn()
  whenIdle(work)
  vi.advanceTimersByTime(5000)
  expect(work).not.toHaveBeenCalled()
  const [[callback, options]] = asked
  expect(options).toEqual({ timeout: 2000 })
  callback()
  expect(work).toHaveBeenCalledOnce()
})

it('waits a moment where the browser cannot tell', () => {
  vi.stubGlobal('requestIdleCallback', undefined)
  const work = vi.fn()
  whenIdle(work)
  vi.advanceTimersByTime(100)
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1900)
  expect(work).toHaveBeenCalledOnce()
})

it('lets other tasks go first', async () => {
  const order: string[] = []
  const next = nextTask().then(() => order.push('next'))
  await Promise.resolve().then(() => order.push('what was ready'))
  expect(order).toEqual(['what was ready'])
  vi.advanceTimersByTime(0)
  await next
  expect(order).toEqual(['what was ready', 'next'])
})
