import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it } from 'vitest'

import { shortcuts } from '../../../scaffold/shortcuts'
import { giveElementsSize } from '../../../testing/layout'
import { pressKey } from '../../../testing/mountPage'
import '../SessionView.vue'
import { openSession } from '../testing/dashboard'
import { HITS, RECOMMENDED, WATCHING } from '../testing/recorded'
import { CONDITIONS } from './conditions'

const press = (key: string): void => shortcuts.press(pressKey(key))

beforeEach(() => giveElementsSize(1200, 1200))

it('knows the 17 conditions by their short names', () => {
  expect(CONDITIONS.map(({ short }) => short).sort()).toEqual(
    'AR GE GL GV OO TL TO TR TS TZ WCL WCS WI WL WNC WO WS'.split(' '),
  )
})

describe('watchpoints', () => {
  it('are offered with what they cost while there is none, and armed as they are ticked', async () => {
    const page = await openSession({ watching: { watched: [], cost: 0, cost_known: false } })
    await page.reply('recommend', { recommended: RECOMMENDED })
    expect(page.wrapper.get('.offer').text()).toContain('about +4% per step')
    await page.wrapper.findAll('.offer input')[1].trigger('change')
    expect(page.command('recommend').command).toEqual({ recommend: { without: [2] } })
    // What both shared is now the first one's alone.
    await page.reply('recommend', {
      recommended: [
        { ...RECOMMENDED[0], cost: 0.025 },
        { ...RECOMMENDED[1], cost: 0.015 },
      ],
    })
    expect(page.wrapper.get('.offer').text()).toContain('about +2.5% per step')
    await page.wrapper.get('.offer .btn').trigger('click')
    expect(page.command('set_watchpoints').command).toEqual({
      set_watchpoints: { watchpoints: [RECOMMENDED[0].watchpoint] },
    })
  })

  it('say what they saw, hit and recorded, and what is wrong', async () => {
    const page = await openSession({ watching: WATCHING })
    const rows = page.wrapper.findAll('.wps .wp').map((row) => row.text())
    expect(rows[0]).toMatch(/Tensor overflow.*✕ 2 hits.*TO · all activations/s)
    expect(rows[1]).toMatch(/checked 812 times.*WCL · all weights · mean \|Δw\| ÷ mean \|w\| > 0.1/s)
    expect(rows[2]).toMatch(/abs_max > 1e3 and step > 100.*41 logged.*log only/s)
    expect(rows[3]).toMatch(/off.*No tensor has such a name/s)
    expect(page.wrapper.get('.cost').text()).toContain('+4.1% per step')
  })

  it('are switched off, taken away and put on the chosen node by F9', async () => {
    const page = await openSession({ watching: WATCHING }, '/debugger?tensor=Default/loss/Log-op3:0')
    await page.wrapper.findAll('.wps input')[0].trigger('change')
    const sent = (): { id: number; enabled: boolean; targets: { nodes: string[] } }[] =>
      (page.command('set_watchpoints').command['set_watchpoints'] as { watchpoints: never[] }).watchpoints
    expect(sent().map(({ enabled }) => enabled)).toEqual([false, true, true, false])
    press('F9')
    expect(sent().at(-1)).toMatchObject({
      id: 5,
      condition: 'tensor_overflow',
      targets: { kinds: [], nodes: ['Default/loss/Log-op3'] },
    })
    await page.say({
      type: 'watching',
      watching: { ...WATCHING, watched: [...WATCHING.watched, { ...WATCHING.watched[0], watchpoint: sent().at(-1) }] },
    })
    press('F9')
    expect(sent().map(({ id }) => id)).toEqual([1, 2, 3, 4])
  })

  it('are written with settings of their own, and an expression that is wrong is shown where', async () => {
    const page = await openSession({ watching: WATCHING })
    await page.wrapper.get('button[aria-label="Add a watchpoint"]').trigger('click')
    const form = page.wrapper.get('form.editor')
    await form.get('select').setValue('tensor_too_large')
    await form.findAll('.setting input.mono')[0].setValue('25')
    await form.trigger('submit')
    const sent = (
      page.command('set_watchpoints').command['set_watchpoints'] as { watchpoints: object[] }
    ).watchpoints.at(-1)
    expect(sent).toMatchObject({ condition: 'tensor_too_large', targets: { kinds: ['ACTIVATION', 'GRADIENT'] } })
    expect((sent as { settings: object[] }).settings[0]).toEqual({ name: 'abs_mean_gt', value: 25, enabled: true })
    await page.reply('set_watchpoints', {})
    expect(page.wrapper.find('form.editor').exists()).toBe(false)

    await page.wrapper.findAll('.wps .open')[2].trigger('click')
    await page.wrapper.get('form.editor input.pick').setValue('abs_max > spam')
    await page.wrapper.get('form.editor').trigger('submit')
    await page.reply('set_watchpoints', {
      ok: false,
      problem: 'bad_expression',
      message: 'There is nothing called spam.',
      at: 10,
    })
    expect(page.wrapper.get('.why mark').text()).toBe('s')
    expect(page.wrapper.get('.why').text()).toContain('There is nothing called spam.')
  })
})

describe('hits', () => {
  it('lie in the order of execution, with what was set and measured, and advice for the chosen one', async () => {
    const page = await openSession({ watching: WATCHING, hits: [HITS] })
    const rows = page.wrapper.findAll('.hits .hit')
    expect(rows.map((row) => row.get('bdi').text())).toEqual([
      'fc.weight',
      'Default/loss/Log-op3',
      'Default/loss/Mul-op4',
    ])
    expect(rows[0].text()).toContain('mean |Δw| ÷ mean |w| is 0.4120 (limit 0.1000)')
    expect(rows[1].text()).toMatch(/−Inf 1 of 1,000.*TO · loss\.py:42/s)
    expect(rows[2].text()).toContain('passes it on')
    press('n')
    press('n')
    await flushPromises()
    expect(page.wrapper.get('.chosen').text()).toMatch(/Log-op3.*logarithms, divisions/s)
    expect(page.wrapper.get('.insp .head').text()).toContain('Log-op3:0')
  })

  it('come beside those of other steps, replace those of their own, and are narrowed to a watchpoint', async () => {
    const page = await openSession({ watching: WATCHING, hits: [HITS] })
    await page.say({ type: 'hits', hits: { ...HITS, step: 813, hits: [HITS.hits[1]], left_out: 7 } })
    await page.say({ type: 'hits', hits: { ...HITS, replace: false, hits: [HITS.hits[1]] } })
    expect(page.wrapper.findAll('.hits section').map((one) => one.findAll('.hit').length)).toEqual([1, 4])
    expect(page.wrapper.get('.more').text()).toBe('and 7 more')
    await page.wrapper.get('select[aria-label="Only hits of"]').setValue('2')
    expect(page.wrapper.findAll('.hits .hit')).toHaveLength(1)
  })
})
