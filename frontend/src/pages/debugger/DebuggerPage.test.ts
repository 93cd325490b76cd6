import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { giveElementsSize } from '../../testing/layout'
import { pressKey } from '../../testing/mountPage'
import { shortcuts } from '../../scaffold/shortcuts'
import './SessionView.vue'
import SideRail from '../../app/SideRail.vue'
import { useToasts } from '../../components/feedback/toasts'
import { openPage, openSession } from './testing/dashboard'
import { HEALTH, ROW, SOURCE, STATE } from './testing/recorded'

const press = (key: string, init: KeyboardEventInit = {}): void => shortcuts.press(pressKey(key, init))

beforeEach(() => giveElementsSize(1200, 1200))

describe('the list of sessions', () => {
  it('says how to attach while there is none', async () => {
    const page = await openPage()
    await page.greet([])
    expect(page.wrapper.get('main').text()).toContain('No training is attached')
    expect(page.wrapper.findAll('code').map((one) => one.text())).toEqual([
      expect.stringMatching(/^callbacks=\[Debugger\("http/),
      expect.stringMatching(/^mindinsight\.torch\.watch\(model, optimizer, folder, url="http/),
      expect.stringMatching(/^MS_DEBUGGER_URL=http/),
    ])
  })

  it('says that the dashboard cannot be reached, and shows what comes once it can', async () => {
    const page = await openPage()
    page.socket().drop()
    await flushPromises()
    expect(page.wrapper.get('[role="alert"]').text()).toContain('cannot be reached')
    await page.wrapper.get('.state .btn').trigger('click')
    await page.greet([])
    expect(page.wrapper.get('main').text()).toContain('No training is attached')
  })

  it('tells sessions that are there from those that are over or lost, with why', async () => {
    const page = await openPage('/debugger?session=all')
    const lost = { ...ROW, id: 'b', run_name: 'killed', status: 'lost', connected: false }
    const failed = {
      ...ROW,
      id: 'c',
      run_name: 'failed',
      status: 'ended',
      connected: false,
      ended: { reason: 'failed', at: 1 },
      message: 'ValueError: x',
    }
    await page.greet([ROW, lost, failed])
    const text = page.wrapper.findAll('section').map((one) => one.text())
    expect(text).toHaveLength(2)
    expect(text[0]).toContain('lenet/adam')
    expect(text[1]).toMatch(/Lost.*Last message/s)
    expect(text[1]).toContain('The training failed. ValueError: x')
    expect(page.wrapper.findAll('a').map((link) => link.attributes('href'))).toContain('/debugger?session=b')
  })

  it('says that a session is unknown', async () => {
    const page = await openPage('/debugger?session=none')
    await page.greet([ROW])
    expect(page.socket().of('watch')).toEqual([{ type: 'watch', session: 'none' }])
    page.socket().say({ type: 'error', code: 'unknown_session', message: 'There is none.', detail: {} })
    await flushPromises()
    expect(page.wrapper.get('main').text()).toContain('There is no such session')
  })
})

it('is told in the rail how many trainings wait, also on other pages', async () => {
  const page = await openPage('/debugger', 'en', SideRail)
  await vi.waitFor(() => expect(page.socket()).toBeTruthy())
  await page.greet([ROW, { ...ROW, id: 'b', status: 'running' }])
  expect(page.wrapper.get('.pip').text()).toContain('One training is paused')
})

describe('a session', () => {
  it('is opened where it is the only one, and says where it stands', async () => {
    const page = await openSession()
    expect(page.socket().of('watch')).toEqual([{ type: 'watch', session: ROW.id }])
    expect(page.wrapper.get('.now').text()).toMatch(/Paused.*step 812 of 1,000.*a watchpoint hit/s)
  })

  it('is moved on by keys, and takes control where nobody has it', async () => {
    const page = await openSession()
    press('F8')
    expect(page.command('go_on').command).toEqual({ go_on: {} })
    expect(page.socket().of('control')[0]).toEqual({ type: 'control', session: ROW.id, take: true, force: false })
    await page.reply('go_on', {})
    await page.say({ type: 'state', state: { ...STATE, status: 'RUNNING', step: 813 } })
    press('F8')
    expect(page.command('pause').command).toEqual({ pause: { now: true } })
    await page.say({
      type: 'state',
      state: {
        ...STATE,
        within_step: true,
        node_number: 3,
        node: { full_name: 'Default/loss/Log-op3', slot: 0, iteration: 0 },
      },
    })
    expect(page.wrapper.get('.now').text()).toContain('node 3 of 7')
    await page.wrapper.get('.steps input').setValue('25')
    press('F10')
    press('F10', { shiftKey: true })
    expect([page.command('step').command, page.command('next_node').command]).toEqual([
      { step: { steps: 25 } },
      { next_node: {} },
    ])
  })

  it('puts refusals in words', async () => {
    const page = await openSession()
    press('F10')
    const { useToasts } = await import('../../components/feedback/toasts')
    await page.reply('step', { ok: false, problem: 'timed_out', message: 'No answer within 15 s.' })
    expect(useToasts().toasts.at(-1)?.text).toContain('did not answer in time')
  })

  it('is only watched while another browser controls, until control is taken', async () => {
    const page = await openSession({ controller: '77aa0c12', viewers: 2 })
    press('F8')
    expect(
      page
        .socket()
        .of('command')
        .filter((one) => 'go_on' in (one['command'] as object)),
    ).toEqual([])
    await page.wrapper
      .findAll('button')
      .find((one) => one.text() === 'Take control')
      ?.trigger('click')
    expect(page.socket().of('control').at(-1)).toMatchObject({ take: true, force: true })
    await page.say({ type: 'control', granted: true, controller: 'b41f09aa', problem: '', message: '' })
    press('F8')
    expect(page.command('go_on').command).toEqual({ go_on: {} })
  })

  it('keeps its last state when the training is lost, and when the dashboard is', async () => {
    const page = await openSession()
    await page.say({ type: 'connection', connected: false })
    expect(page.wrapper.get('.notice').text()).toContain('This is its last state')
    expect(page.wrapper.get('.now').text()).toContain('step 812')
    page.socket().drop()
    await flushPromises()
    expect(page.wrapper.get('.notice').text()).toContain('connection to the dashboard is lost')
    press('F10')
    expect(
      page
        .socket()
        .of('command')
        .filter((one) => 'step' in (one['command'] as object)),
    ).toEqual([])
  })

  it('measures the nodes that the step kept, and lists them as they execute', async () => {
    const page = await openSession()
    await page.reply('health', { statistics: HEALTH })
    const rows = page.wrapper.findAll('.nodes tbody tr')
    expect(rows).toHaveLength(7)
    expect(rows[3].text()).toMatch(/Log-op3.*−Inf/s)
    expect(rows[2].get('.hs').attributes('aria-label')).toBe('0 not finite, 1 zeros of 1,000')
    await page.wrapper.get('select[aria-label="Kind"]').setValue('WEIGHT')
    expect(page.wrapper.findAll('.nodes tbody tr').map((row) => row.get('.name').text())).toEqual(['fc.weight'])
  })

  it('shows the source with the line where it stands, what it gave, and who called', async () => {
    const page = await openSession()
    await page.reply('health', { statistics: HEALTH })
    await page.reply('read_source', { text: SOURCE })
    expect(page.wrapper.get('.line.here').text()).toMatch(/42.*self\.log\(p\).*−Inf 1/s)
    expect(page.wrapper.get('.calls').text()).toContain('train.py:118')
  })

  it('does not wait for the source of a training that is gone', async () => {
    const page = await openSession({ connected: false })
    const card = page.wrapper.get('[aria-label="Source"]')
    expect(card.text()).toContain('loss.py:42')
    expect(card.text()).toContain('This file was not loaded while the training was attached.')
  })

  it('switches the mode, holds the pause and changes the learning rate', async () => {
    const page = await openSession()
    await page.wrapper.findAll('.insp [role="radio"]')[1].trigger('click')
    expect(page.command('set_mode').command).toEqual({ set_mode: { mode: 'pynative' } })
    await page.wrapper.get('.insp button[aria-pressed]').trigger('click')
    expect(page.command('set_lease').command).toEqual({ set_lease: { hold: true, at_end: 'continue' } })
    await page.wrapper.get('.rates input').setValue('0.001')
    expect(page.command('set_learning_rate').command).toEqual({
      set_learning_rate: { name: 'learning_rate', value: 0.001 },
    })
    vi.useFakeTimers({ now: Date.now() + 30_000 })
    await page.say({ type: 'state', state: { ...STATE, lease: { ...STATE.lease, held: true } } })
    vi.useRealTimers()
    expect(page.wrapper.get('[role="timer"]').text()).toContain('paused')
  })

  it('offers no other mode for a dump, which is over', async () => {
    const page = await openSession({ row: { ...ROW, device: 'dump' } })
    expect(page.wrapper.findAll('.insp [role="radio"]')).toHaveLength(0)
    expect(page.wrapper.get('.insp .facts').text()).toContain('Graph')
    expect(page.wrapper.findAll('.insp .again')).toHaveLength(0)
    press('m')
    expect(() => page.command('set_mode')).toThrow()
  })
})

it('says where within a step it stands, and why the step cannot be run again there', async () => {
  const within = {
    ...STATE,
    within_step: true,
    reason: 'node',
    node: { full_name: 'Default/fc/MatMul-op1', slot: 0, iteration: 0 },
    node_number: 2,
    can_run_again: false,
    cannot_run_again: 'the step has not finished',
  }
  const page = await openSession({ state: within })
  expect(page.wrapper.get('.bar .where').text()).toBe('in step 812 of 1,000after node 2 of 7')
  press('a')
  await page.reply('run_again', {
    ok: false,
    problem: 'within_step',
    message: 'the step has not finished: finish it first',
  })
  expect(useToasts().toasts.at(-1)?.text).toContain('in the middle of a step')
})
