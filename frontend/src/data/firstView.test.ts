import { beforeEach, expect, test, vi } from 'vitest'

import { afterFirstView, holdBack, letGo, useFirstView } from './firstView'

beforeEach(() => {
  vi.useFakeTimers()
  letGo()
  return () => vi.useRealTimers()
})

test('nothing waits unless it is held back', () => {
  const work = vi.fn()
  afterFirstView(work)
  expect(useFirstView().value).toBe(true)
  expect(work).toHaveBeenCalledOnce()
})

test('what is held back is done once, when the page shows something', async () => {
  holdBack()
  const work = vi.fn()
  afterFirstView(work)
  await vi.advanceTimersByTimeAsync(1000)
  expect(work).not.toHaveBeenCalled()
  letGo()
  await vi.advanceTimersByTimeAsync(0)
  letGo()
  expect(work).toHaveBeenCalledOnce()
  holdBack()
  await vi.advanceTimersByTimeAsync(0)
  letGo()
  await vi.advanceTimersByTimeAsync(0)
  expect(work).toHaveBeenCalledOnce()
})

test('a page that never shows anything holds nothing back for long', async () => {
  holdBack()
  expect(useFirstView().value).toBe(false)
  await vi.advanceTimersByTimeAsync(2000)
  expect(useFirstView().value).toBe(true)
})
