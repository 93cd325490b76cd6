import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'

import { useAnswer, type Answer, type Tell } from './answer'
import { ApiProblem } from './types'

/** A sent request whose answer the test controls. */
interface Asked {
  key: string
  signal: AbortSignal
  tell: Tell<string>
  answer: (value: string) => void
  fail: (cause: unknown) => void
}

const key = ref<string | null>(null)
const version = ref(0)
const problem = new ApiProblem('gone', 'It is gone.', {}, 404)
let asked: Asked[]
let scope: EffectScope

beforeEach(() => {
  key.value = 'a'
  version.value = 0
  asked = []
  scope = effectScope()
  return () => scope.stop()
})

function open(): Answer<string> {
  const question = (signal: AbortSignal, tell: Tell<string>): Promise<string> =>
    new Promise((answer, fail) => asked.push({ key: key.value ?? '', signal, tell, answer, fail }))
  return scope.run(() =>
    useAnswer(
      () => key.value,
      question,
      () => version.value,
    ),
  )!
}
const shown = ({ value, busy, progress, problem }: Answer<string>): unknown[] => [
  value.value,
  busy.value,
  progress.value,
  problem.value,
]

describe('a question', () => {
  it('is asked at once and answered', async () => {
    const answer = open()
    expect(shown(answer)).toEqual([null, true, null, null])
    asked[0].answer('one')
    await flushPromises()
    expect(shown(answer)).toEqual(['one', false, null, null])
  })

  it('is none without a key', async () => {
    key.value = null
    const answer = open()
    expect([shown(answer), asked.length]).toEqual([[null, false, null, null], 0])
    key.value = 'a'
    await nextTick()
    asked[0].answer('one')
    await flushPromises()
    expect(answer.value.value).toBe('one')
    key.value = null
    await nextTick()
    expect([shown(answer), asked.length]).toEqual([[null, false, null, null], 1])
  })

  it('drops the old answer when it is another one, and keeps it when only the data are newer', async () => {
    const answer = open()
    asked[0].answer('one')
    await flushPromises()
    version.value++
    await nextTick()
    expect(shown(answer)).toEqual(['one', true, null, null])
    asked[1].answer('newer')
    await flushPromises()
    expect(shown(answer)).toEqual(['newer', false, null, null])
    key.value = 'b'
    await nextTick()
    expect(shown(answer)).toEqual([null, true, null, null])
    expect(asked.map((one) => one.key)).toEqual(['a', 'a', 'b'])
  })

  it('is asked once where nothing tells of newer data', async () => {
    const answer = scope.run(() =>
      useAnswer(
        () => key.value,
        () => Promise.resolve(`of ${key.value}`),
      ),
    )!
    await flushPromises()
    expect(shown(answer)).toEqual(['of a', false, null, null])
  })

  it('ends the one before, whose answer or failure is not shown any more', async () => {
    const answer = open()
    key.value = 'b'
    await nextTick()
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
    asked[0].answer('late')
    await flushPromises()
    expect(shown(answer)).toEqual([null, true, null, null])
    key.value = 'c'
    await nextTick()
    asked[1].fail(problem)
    await flushPromises()
    expect(shown(answer)).toEqual([null, true, null, null])
    asked[2].answer('newest')
    await flushPromises()
    expect(shown(answer)).toEqual(['newest', false, null, null])
  })

  it('is ended by who leaves', () => {
    open()
    scope.stop()
    expect(asked[0].signal.aborted).toBe(true)
  })
})

describe('the work on an answer', () => {
  it('tells how far it is, and the result of older data until there is one', async () => {
    const answer = open()
    asked[0].tell(0.25, 'older')
    expect(shown(answer)).toEqual(['older', true, 0.25, null])
    asked[0].tell(0.5, 'older still')
    expect(shown(answer)).toEqual(['older', true, 0.5, null])
    asked[0].answer('one')
    await flushPromises()
    expect(answer.value.value).toBe('one')
    version.value++
    await nextTick()
    expect(answer.progress.value).toBeNull()
  })
})

describe('a failure', () => {
  it('is shown until it is asked again', async () => {
    const answer = open()
    asked[0].fail(problem)
    await flushPromises()
    expect(shown(answer)).toEqual([null, false, null, problem])
    answer.retry()
    expect(shown(answer)).toEqual([null, true, null, null])
    asked[1].answer('one')
    await flushPromises()
    expect(shown(answer)).toEqual(['one', false, null, null])
  })

  it('of newer data leaves the answer there', async () => {
    const answer = open()
    asked[0].answer('one')
    await flushPromises()
    answer.retry()
    asked[1].fail(problem)
    await flushPromises()
    expect(shown(answer)).toEqual(['one', false, null, problem])
  })

  it('is none where somebody left', async () => {
    const answer = open()
    asked[0].fail(new DOMException('left', 'AbortError'))
    await flushPromises()
    expect(shown(answer)).toEqual([null, false, null, null])
  })
})
