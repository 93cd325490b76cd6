import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { ApiProblem } from './types'
import { untilDone, wasLeft, workFailed } from './untilDone'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const isDone = (answer: string): boolean => answer === 'done'

/** Requests work that never ends, and records the times. */
function endless(signal: AbortSignal): { asked: number[]; end: Promise<unknown> } {
  const asked: number[] = []
  const begun = Date.now()
  const once = (): Promise<string> => {
    asked.push(Date.now() - begun)
    return Promise.resolve('working')
  }
  return { asked, end: untilDone(once, isDone, signal).catch((cause: unknown) => cause) }
}

describe('work of the server', () => {
  it('that is done at once is asked for once', async () => {
    const once = vi.fn(() => Promise.resolve('done'))
    expect(await untilDone(once, isDone, new AbortController().signal)).toBe('done')
    expect(once).toHaveBeenCalledOnce()
  })

  it('is asked for at growing distances, a second at most', async () => {
    const stop = new AbortController()
    const { asked, end } = endless(stop.signal)
    await vi.advanceTimersByTimeAsync(6000)
    const distances = asked.slice(1).map((at, index) => at - asked[index])
    expect(distances[0]).toBe(100)
    expect(distances).toEqual(distances.toSorted((a, b) => a - b))
    expect(new Set(distances).size).toBeGreaterThan(4)
    expect(Math.max(...distances)).toBe(1000)
    stop.abort()
    expect(wasLeft(await end)).toBe(true)
  })

  it('is not asked for again by who left', async () => {
    const stop = new AbortController()
    const { asked, end } = endless(stop.signal)
    await vi.advanceTimersByTimeAsync(150)
    expect(asked.length).toBe(2)
    stop.abort()
    expect(wasLeft(await end)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(5000)
    expect(asked.length).toBe(2)
  })

  it('listens no longer to the signal once it is done', async () => {
    const { signal } = new AbortController()
    const heard = vi.spyOn(signal, 'addEventListener')
    const left = vi.spyOn(signal, 'removeEventListener')
    const answers = ['working', 'working', 'done']
    const end = untilDone(() => Promise.resolve(answers.shift() ?? ''), isDone, signal)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await end).toBe('done')
    expect(left.mock.calls.map(([kind, listener]) => [kind, listener])).toEqual(
      heard.mock.calls.map(([kind, listener]) => [kind, listener]),
    )
    expect(heard).toHaveBeenCalledTimes(2)
  })

  it('that failed ends with what the last word throws', async () => {
    const failing = (): boolean => {
      throw workFailed({ code: 'too_large', message: 'No.', detail: { nodes: 3 } })
    }
    await expect(
      untilDone(() => Promise.resolve('failed'), failing, new AbortController().signal),
    ).rejects.toMatchObject({
      name: 'ApiProblem',
      code: 'too_large',
      message: 'No.',
      detail: { nodes: 3 },
      status: 200,
    })
  })

  it.each([[null], [{ code: 'analysis_failed' }]])('that failed as %j has a problem without words', (failure) => {
    expect(workFailed(failure)).toMatchObject({ code: 'analysis_failed', message: '', detail: {} })
  })
})

it.each([
  ['an abort', new DOMException('left', 'AbortError'), true],
  ['another failure of the browser', new DOMException('late', 'TimeoutError'), false],
  ['a refusal', new ApiProblem('unreachable', '', {}, 0), false],
  ['a failure by that name', Object.assign(new Error('left'), { name: 'AbortError' }), false],
])('whether %s means that somebody left', (_what, cause, left) => {
  expect(wasLeft(cause)).toBe(left)
})
