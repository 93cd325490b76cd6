import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { giveElementsSize } from '../../../testing/layout'
import { cause } from '../data/messages'
import '../SessionView.vue'
import { openSession } from '../testing/dashboard'
import { CAUSE, DIVERGENCE, HEALTH, HITS, SOURCE, STATE } from '../testing/recorded'
import { historyShape } from './historyShape'
import { saidOf } from './sentence'

beforeEach(() => giveElementsSize(1200, 1200))

describe('the sentence', () => {
  const of = (changes: object) => saidOf(cause({ ...CAUSE, ...changes }))
  it('counts the zeros that came in', () => {
    expect(of({})).toMatchObject({
      verdict: 'log_of_zero',
      op: 'Log',
      from: 'Softmax',
      bad: { what: 'zeros', n: 1, of: 1000 },
      result: '−Inf',
    })
  })
  it('speaks of the weight that grew, and of negative numbers', () => {
    expect(
      of({
        verdict: 'exploding_update',
        facts: { abs_max: '3', weight: 'net.fc.weight', weight_abs_max: '1.2e+30', from: 'Mul' },
      }),
    ).toMatchObject({ from: 'net.fc.weight', largest: 1.2e30, bad: null })
    expect(of({ verdict: 'root_of_negative', facts: { negative: '7', count: '64', from: 'Sub' } })).toMatchObject({
      from: 'Sub',
      bad: { what: 'negatives', n: 7, of: 64 },
    })
  })
  it('says which samples of the input are not finite', () => {
    const output = { ...HEALTH[1], shape: [32, 1024], nans: 3, pos_infs: 1 }
    const bad = (facts: object) =>
      of({ verdict: 'not_finite_input', facts, producer: { ...CAUSE.producer, type: 'Input', output } })
    expect(bad({ nans: '3', infs: '1', count: '32768', place: '[28, 7]', samples: '2' })).toMatchObject({
      kinds: ['NaN', 'Inf'],
      sample: { first: 28, count: 2 },
    })
    expect(bad({ nans: '3', infs: '1', count: '32768' }).sample).toBeNull()
  })
  it('counts what the data brought, and names a verdict that it does not know plainly', () => {
    expect(
      of({
        verdict: 'not_finite_input',
        facts: { nans: '2', infs: '1', count: '1000', tensor: 'data:0', place: '[28, 0, 5]' },
      }),
    ).toMatchObject({ bad: { what: 'notFinite', n: 3, of: 1000 }, sample: { first: 28, count: 1 } })
    expect(of({ verdict: 'not_finite_input', facts: { nans: '1', count: '8', place: '[3]' } }).sample).toBeNull()
    expect(of({ verdict: 'moonlight', facts: {} })).toMatchObject({ verdict: 'unknown', largest: 1 })
    expect(of({ producer: null })).toMatchObject({ verdict: 'none' })
  })
})

describe('the history', () => {
  const all = cause(CAUSE).history!
  it('lies between its ends, lower where it is smaller, with the usual range above', () => {
    const shape = historyShape(all, 600, 150, String)
    const points = [...shape.line.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
    expect(points).toHaveLength(256)
    expect([points[0][0], points[255][0]]).toEqual([64, 586])
    expect(points[255][1]).toBeGreaterThan(points[0][1] + 60)
    expect(shape.band!.y + shape.band!.height).toBeLessThan(points[255][1])
    expect(shape.leftAt).toBeCloseTo(64 + ((4378 - 4300) / 510) * 522, 5)
    expect(shape.y.map(({ text }) => text)).toContain('1e−24')
  })
  it('marks what has no place, and breaks its line there', () => {
    const shape = historyShape({ ...all, steps: [1, 2, 3], values: [1e-3, NaN, 1e-4], left_at: 0 }, 600, 150, String)
    expect(shape.odd).toEqual([325])
    expect(shape.line.match(/M/g)).toHaveLength(2)
    expect(shape.leftAt).toBeNull()
  })
})

describe('the cause card', () => {
  it('names the producer, its line and what came in, and shows the tensor that was abnormal first', async () => {
    const page = await openSession()
    await page.say({ type: 'cause', cause: CAUSE })
    await vi.waitFor(() => expect(page.router.currentRoute.value.query['tensor']).toBe('Default/loss/Softmax-op2:0'))
    const card = page.wrapper.get('.cause')
    expect(card.get('.say').text().replaceAll(/\s+/g, ' ')).toBe(
      'Log at loss.py:42 received one 0 of 1,000 from Softmax and gave −Inf.',
    )
    expect(card.get('.why').text()).toMatch(/left its usual range at step 4,378\. 2 operators pass it on\./)
    expect(card.findAll('.chain li').map((one) => one.text())).toEqual([
      'MatMulfinite',
      'Softmax▲ first abnormal',
      'Log✕ producer',
      'Mulpasses it on',
      'lossNaN',
    ])
    expect(card.findAll('.try .chip')).toHaveLength(3)
    await card.findAll('.say button')[1].trigger('click')
    await page.reply('read_source', { text: SOURCE })
    expect(page.wrapper.get('.line.producer').text()).toContain('self.log(p)')
  })

  it('says it in Chinese', async () => {
    const page = await openSession({ causes: [CAUSE] }, '/debugger', 'zh-CN')
    expect(page.wrapper.get('.say').text().replaceAll(/\s+/g, '')).toBe(
      'loss.py:42处的Log从Softmax收到1,000个元素中的1个零，得到−Inf。',
    )
  })

  const inData = (samples: number) => ({
    ...CAUSE,
    verdict: 'not_finite_input',
    facts: { nans: '1', infs: '0', count: '32768', place: '[28, 7]', samples: String(samples), tensor: 'data:0' },
    producer: {
      ...CAUSE.producer,
      type: 'Input',
      line: null,
      tensor: { full_name: 'data', slot: 0, iteration: 0 },
      output: { ...HEALTH[1], shape: [32, 1024], nans: 1, count: 32768 },
    },
  })
  const spoken = async (samples: number, language: string): Promise<string> =>
    (await openSession({ causes: [inData(samples)] }, '/debugger', language)).wrapper
      .get('.say')
      .text()
      .replaceAll(/\s+/g, ' ')
  it('says what is wrong with the input', async () => {
    expect(await spoken(1, 'en')).toBe('Input data contains NaN: 1 of 32,768 values, in sample 28 of this batch.')
    expect(await spoken(2, 'en')).toContain('in 2 samples, first in 28, of this batch.')
    expect(await spoken(1, 'zh-CN')).toBe('输入数据包含 NaN：32,768 个值中有 1 个，位于本批次的样本 28。')
  })

  it('leaves the page with its step, and is one press away', async () => {
    const page = await openSession({ causes: [CAUSE], hits: [HITS] })
    expect(page.wrapper.find('.cause').exists()).toBe(true)
    await page.say({ type: 'state', state: { ...STATE, step: 813 } })
    expect(page.wrapper.find('.cause').exists()).toBe(false)
    await page.wrapper.get('.bar .found').trigger('click')
    expect(page.wrapper.get('.cause').text()).toContain('Step 812')
    expect(page.wrapper.find('.bar .found').exists()).toBe(false)
    await page.wrapper.get('.cause .marks .textlink').trigger('click')
    expect(page.wrapper.find('.cause').exists()).toBe(false)
    // A hit of that step brings it back, and shows the tensor of the hit.
    await page.wrapper.findAll('.hits li .hit')[0].trigger('click')
    expect(page.wrapper.get('.cause .say').text()).toContain('Log')
    await vi.waitFor(() =>
      expect(page.router.currentRoute.value.query).toMatchObject({ cause: '812', tensor: 'fc.weight:0' }),
    )
  })

  it('is in the list of hits with its step, also of a step without hits', async () => {
    const page = await openSession({
      causes: [
        { ...CAUSE, step: 700 },
        { ...CAUSE, step: 811 },
      ],
      hits: [HITS],
    })
    expect(page.wrapper.findAll('.hits h3').map((one) => one.text())).toEqual([
      'Step 812 · this pause',
      'Step 811',
      'Step 700',
    ])
    await page.wrapper.findAll('.hits .origin')[1].trigger('click')
    expect(page.wrapper.get('.cause').text()).toContain('Step 700')
    expect(page.wrapper.get('.bar .found').text()).toContain('Cause at step 811')
  })

  it('is what a session opens on that is over, and after a reload', async () => {
    const over = await openSession({
      causes: [CAUSE],
      state: { ...STATE, status: 'ENDED', step: 900 },
      connected: false,
      ended: { reason: 'detached', at: 1 },
    })
    expect(over.wrapper.get('.cause').text()).toContain('Step 812')
    await vi.waitFor(() => expect(over.router.currentRoute.value.query['tensor']).toBe('Default/loss/Softmax-op2:0'))
    const again = await openSession({ causes: [CAUSE], state: { ...STATE, step: 900 } }, '/debugger?cause=812')
    expect(again.wrapper.get('.cause').text()).toContain('back to step 900')
  })
})

describe('the comparison of the modes', () => {
  it('comes to the fore with the first node at which they part, and sorts by size', async () => {
    const page = await openSession()
    await page.say({ type: 'divergence', divergence: DIVERGENCE })
    await flushPromises()
    await vi.waitFor(() => expect(page.wrapper.find('.told').exists()).toBe(true))
    expect(page.wrapper.get('.told').text()).toMatch(
      /differ from Default\/loss\/Softmax-op2:0.*1 nodes ran in Graph only/s,
    )
    const names = (): string[] => page.wrapper.findAll('.box tbody tr').map((row) => row.get('.name').text())
    expect(names()).toEqual(['▲ loss/Softmax-op2', 'loss/Mul-op4'])
    await page.wrapper.findAll('.told [role="radio"]')[2].trigger('click')
    expect(names()[0]).toBe('loss/Mul-op4')
  })
})
