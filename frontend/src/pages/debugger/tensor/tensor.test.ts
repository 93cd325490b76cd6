import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { giveElementsSize } from '../../../testing/layout'
import type { Statistics } from '../data/messages'
import '../SessionView.vue'
import { openSession } from '../testing/dashboard'
import { CAUSE, HEALTH, ROW, STATE, statistics } from '../testing/recorded'
import { indexOf, worstAt } from './useShownTensor'

const message = (changes: object): Statistics => statistics('x', changes) as unknown as Statistics

beforeEach(() => giveElementsSize(1200, 1200))

it('finds the indices of an element', () => {
  expect(indexOf(173, [100, 10])).toEqual([17, 3])
  expect(indexOf(0, [])).toEqual([])
})

it('finds the worst place: the first that is not finite, else the largest', () => {
  expect(worstAt(message({ bad_at: 12 }))).toBe(12)
  expect(worstAt(message({}))).toBe(4)
  expect(worstAt(message({ min: -9 }))).toBe(173)
})

describe('the chosen tensor', () => {
  const address = '/debugger?tensor=Default/loss/Softmax-op2:0'
  const rowOf = (changes: object) => ({
    number: 31,
    session: ROW.id,
    tensor: { full_name: 'Default/loss/Softmax-op2', slot: 0, iteration: 0 },
    step: 812,
    previous: false,
    state: 'arriving',
    dtype: 'float32',
    shape: [100, 10],
    bytes: 4000,
    received: 1000,
    problem: '',
    message: '',
    ...changes,
  })

  it('shows its statistics first, then how its values come, then the values', async () => {
    const page = await openSession({}, address)
    page.server.answers[`/api/debugger/sessions/${ROW.id}/tensors`] = rowOf({})
    await page.reply('view', { statistics: [HEALTH[1]] })
    expect(page.wrapper.get('.ins .kv').text()).toMatch(/min0 at \[17, 3\].*zeros1 of 1,000/s)
    await vi.waitFor(() => expect(page.wrapper.get('.insp').text()).toContain('1.00 kB of 4.00 kB loaded'))
    await page.say({ type: 'tensor', tensor: rowOf({ state: 'ready', received: 4000 }) })
    await vi.waitFor(() =>
      expect(page.server.asked.at(-1)?.path).toContain(
        `/api/debugger/tensors/statistics?store=${ROW.id}&series=12&index=31`,
      ),
    )
  })

  it('says why values did not come, and asks only on demand for what is large', async () => {
    const page = await openSession({}, address)
    await page.reply('view', { statistics: [{ ...HEALTH[1], count: 1e8 }] })
    expect(page.server.asked.some(({ path }) => path.endsWith('/tensors'))).toBe(false)
    page.server.answers[`/api/debugger/sessions/${ROW.id}/tensors`] = rowOf({
      state: 'failed',
      message: 'The training gave up.',
    })
    await page.wrapper
      .findAll('.insp .btn')
      .find((one) => one.text() === 'Load the values (400 MB)')
      ?.trigger('click')
    await flushPromises()
    await vi.waitFor(() => expect(page.wrapper.get('.insp [role="alert"]').text()).toContain('The training gave up.'))
  })

  it('asks for the values of the step before', async () => {
    const page = await openSession({}, address)
    await page.reply('view', { statistics: [HEALTH[1]] })
    await page.wrapper.findAll('.ins [role="radio"]')[1].trigger('click')
    expect(page.command('view').command).toMatchObject({ view: { previous: true, values: true } })
    await page.reply('view', {
      statistics: [HEALTH[1]],
      tensor: rowOf({ number: 32, state: 'asked', previous: true, received: 0 }),
    })
    expect(page.wrapper.get('.insp').text()).toContain('0 B of 4.00 kB loaded')
  })

  it('says so where nothing was kept of the step before', async () => {
    const page = await openSession({}, address)
    await page.reply('view', { statistics: [HEALTH[1]] })
    await page.wrapper.findAll('.ins [role="radio"]')[1].trigger('click')
    await page.reply('view', { ok: false, problem: 'no_value', message: 'Nothing of it was kept.' })
    expect(page.wrapper.get('.insp [role="alert"]').text()).toContain('did not compute this value')
  })
  it('shows finite extremes beside the place of what is not finite', async () => {
    const page = await openSession({}, address)
    await page.reply('view', { statistics: [{ ...HEALTH[1], nans: 2, bad_at: 999, min: -1, min_at: 5 }] })
    expect(page.wrapper.get('.ins .kv').text()).toMatch(/min−1 at \[0, 5\].*NaN, ±Inf2, \+0, −0 at \[99, 9\]/s)
  })

  it('shows what a cause recorded once the training is gone', async () => {
    const page = await openSession({
      causes: [CAUSE],
      state: { ...STATE, step: 900 },
      connected: false,
      ended: { reason: 'finished', at: 1 },
      tensors: [rowOf({ state: 'ready', received: 4000 })],
    })
    expect(page.wrapper.get('.insp').text()).toContain('Values of step 812, as the cause recorded them.')
    expect(page.wrapper.get('.ins .kv').text()).toMatch(/zeros1 of 1,000/)
    await vi.waitFor(() => expect(page.server.asked.at(-1)?.path).toContain('series=12&index=31'))
  })
})
