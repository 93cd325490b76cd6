import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { useRuns } from '../../data/runs/runs'
import { fakeServer, wireRun } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage, pressKey } from '../../testing/mountPage'
import RunColumn from './RunColumn.vue'
import { shortcuts } from '../../scaffold/shortcuts'

beforeEach(() => giveElementsSize())

async function open(count: number, address = '/scalars'): Promise<VueWrapper> {
  fakeServer(Array.from({ length: count }, (_, index) => wireRun(index + 1)))
  const { wrapper } = await mountPage(RunColumn, address)
  await useRuns().load()
  await flushPromises()
  return wrapper
}
const press = (key: string): void => shortcuts.press(pressKey(key))

describe('the run column', () => {
  it('shows the newest of many and lists the others as hidden', async () => {
    const wrapper = await open(24)
    expect(wrapper.get('.count').text()).toContain('20 of 24 shown')
    expect(wrapper.findAll('[role="option"][aria-selected="true"]')).toHaveLength(20)
    expect(wrapper.get('.list').text()).toContain('Hidden')
  })

  it('draws only what is in view', async () => {
    const wrapper = await open(10_000)
    expect(wrapper.findAll('[role="option"]').length).toSatisfy((drawn: number) => drawn > 20 && drawn < 60)
  })

  it('narrows by its field and names the way back', async () => {
    const wrapper = await open(3)
    await wrapper.get('input').setValue('_2')
    expect(wrapper.findAll('[role="option"]')).toHaveLength(1)
    await wrapper.get('input').setValue('xyz')
    expect(wrapper.text()).toContain('No run matches “xyz”.')
    await wrapper.get('.textlink').trigger('click')
    await flushPromises()
    expect(wrapper.findAll('[role="option"]')).toHaveLength(3)
  })

  it('says the folder of all runs once, and shows the rest of the names', async () => {
    fakeServer([1, 2].map((number) => wireRun(number, { name: `2026-11-24_11-29-53/seed_${number}` })))
    const { wrapper } = await mountPage(RunColumn, '/scalars')
    await useRuns().load()
    await flushPromises()
    expect(wrapper.get('.in').text()).toBe('in 2026-11-24_11-29-53/')
    expect(wrapper.findAll('[role="option"] .name').map((name) => name.text())).toEqual(['seed_1', 'seed_2'])
    expect(wrapper.get('[role="option"] .name').attributes('title')).toBe('2026-11-24_11-29-53/seed_1')
  })

  it('shows a display name, and finds the run by its directory too', async () => {
    const marks = {
      version: 1,
      tags: [],
      colour: null,
      note: '',
      pinned: false,
      archived: false,
      icon: 0,
      hidden: false,
    }
    const named = { ...marks, baseline: false, display_name: 'my best', changed: 1 }
    fakeServer([wireRun(1, { marks: named }), wireRun(2)])
    const { wrapper } = await mountPage(RunColumn, '/scalars')
    await useRuns().load()
    await flushPromises()
    for (const words of ['best', 'run_1']) {
      await wrapper.get('input').setValue(words)
      expect(wrapper.findAll('[role="option"] .name').map((name) => name.text())).toEqual(['my best'])
    }
    expect(wrapper.get('[role="option"] .name').attributes('title')).toBe('my best\nrun_1')
  })

  it('shows what the filter finds, by a button and by Enter', async () => {
    const wrapper = await open(12)
    await wrapper.get('input').setValue('_1')
    await wrapper.get('.these button').trigger('click')
    expect([...useRuns().visible].sort((a, b) => a - b)).toEqual([1, 10, 11, 12])
    expect(wrapper.get('.these button').text()).toBe('Show these 4')
    await wrapper.get('input').setValue('_12')
    await wrapper.get('input').trigger('keydown', { key: 'Enter' })
    expect([...useRuns().visible]).toEqual([12])
    await wrapper.get('input').trigger('keydown', { key: 'Escape' })
    expect(wrapper.findAll('[role="option"]')).toHaveLength(12)
  })

  it('waits with Enter for the answer to a query', async () => {
    const server = fakeServer(Array.from({ length: 3 }, (_, index) => wireRun(index + 1)))
    server.answers['/api/runs/order'] = { runs: [2], groups: [], of: 3, archived: 0, milliseconds: 1 }
    const { wrapper } = await mountPage(RunColumn, '/scalars')
    await useRuns().load()
    await wrapper.get('input').setValue('lr < 0.01')
    await wrapper.get('input').trigger('keydown', { key: 'Enter' })
    expect(useRuns().visible.size).toBe(3)
    await vi.waitFor(() => expect([...useRuns().visible]).toEqual([2]))
  })

  it('answers to j, Space, o and b', async () => {
    const wrapper = await open(3)
    press('j')
    press(' ')
    expect(useRuns().visible.size).toBe(2)
    press('o')
    expect(useRuns().visible.size).toBe(1)
    press('b')
    await flushPromises()
    expect(wrapper.find('[role="listbox"]').exists()).toBe(false)
    expect(localStorage.getItem('mindinsight.runColumn')).toBe('closed')
  })

  it('answers to arrow keys where it has the focus', async () => {
    const wrapper = await open(3)
    const list = wrapper.get('[role="listbox"]')
    await list.trigger('keydown', { key: 'ArrowDown' })
    await list.trigger('keydown', { key: ' ' })
    expect(useRuns().visible.size).toBe(2)
  })

  it('marks ranges and shows, hides or isolates them at once', async () => {
    const wrapper = await open(12)
    press('j')
    press('x')
    press('j')
    press('j')
    press('X')
    await flushPromises()
    expect(wrapper.get('.marks').text()).toContain('3 runs marked')
    press(' ')
    expect(useRuns().visible.size).toBe(9)
    press('o')
    expect(useRuns().visible.size).toBe(3)
    press('Escape')
    await flushPromises()
    expect(wrapper.find('.marks').exists()).toBe(false)
  })

  it('marks by Shift and the pointer or the arrow keys', async () => {
    const wrapper = await open(12)
    const row = (at: number) => wrapper.findAll('[role="option"]')[at]
    await row(2).trigger('click', { ctrlKey: true })
    await row(4).trigger('click', { shiftKey: true })
    expect(useRuns().visible.size).toBe(12)
    expect(wrapper.findAll('.marked')).toHaveLength(3)
    await wrapper.get('[role="listbox"]').trigger('keydown', { key: 'ArrowDown', shiftKey: true })
    expect(wrapper.findAll('.marked')).toHaveLength(4)
  })

  it('asks the server what a query finds, and says what it does not understand', async () => {
    const server = fakeServer(Array.from({ length: 3 }, (_, index) => wireRun(index + 1)))
    server.answers['/api/runs/order'] = { runs: [2], groups: [], of: 3, archived: 0, milliseconds: 1 }
    const { wrapper } = await mountPage(RunColumn, '/scalars')
    await useRuns().load()
    await wrapper.get('input').setValue('lr < 0.01')
    await vi.waitFor(() => expect(wrapper.findAll('[role="option"]')).toHaveLength(1))
    expect(server.asked.at(-1)?.path).toContain('query=lr')
    server.answers['/api/runs/order'] = Response.json(
      { code: 'bad_query', message: '', detail: { parameter: 'query', position: 5, expected: 'a number' } },
      { status: 400 },
    )
    await wrapper.get('input').setValue('lr < ')
    await vi.waitFor(() => expect(wrapper.find('[role="alert"]').text()).toContain('expected a number'))
    expect(wrapper.findAll('[role="option"]')).toHaveLength(1)
  })

  it('is as wide as it was dragged, by keys too, within bounds', async () => {
    const wrapper = await open(3)
    const edge = wrapper.get('[role="separator"]')
    expect(edge.attributes('aria-valuenow')).toBe('232')
    await edge.trigger('keydown', { key: 'ArrowRight' })
    expect(edge.attributes('aria-valuenow')).toBe('248')
    await edge.trigger('keydown', { key: 'End' })
    expect([edge.attributes('aria-valuenow'), localStorage.getItem('mindinsight.runColumnWidth')]).toEqual([
      '480',
      '480',
    ])
    await edge.trigger('dblclick')
    expect(edge.attributes('aria-valuenow')).toBe('232')
  })
})
