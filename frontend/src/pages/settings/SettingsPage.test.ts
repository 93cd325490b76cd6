import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { usePreferences } from '../../scaffold/preferences'
import { shortcuts } from '../../scaffold/shortcuts'
import { fakeServer } from '../../testing/fakeServer'
import { mountPage, pressKey } from '../../testing/mountPage'

const run = vi.fn()
beforeEach(() => {
  fakeServer()
  run.mockReset()
  shortcuts.changed.clear()
  const remove = shortcuts.add([
    { keys: ['o'], group: 'runs', text: 'app.shortcuts.onlyRun', run },
    { keys: ['x'], group: 'runs', text: 'app.shortcuts.markRun', run },
    { keys: ['Mod+z'], group: 'pages', text: 'app.shortcuts.undo', run },
  ])
  return remove
})

async function open() {
  const { wrapper } = await mountPage(null, '/settings')
  const entry = (text: string) => wrapper.findAll('.entry').find((one) => one.text().startsWith(text))!
  const change = async (text: string, key: string, init: KeyboardEventInit = {}) => {
    await entry(text).get('[aria-label^="Change the key"]').trigger('click')
    await flushPromises()
    const field = entry(text).get('[role="textbox"]').element
    pressKey(key, init, field)
    await flushPromises()
  }
  return { wrapper, entry, change }
}

describe('the settings page', () => {
  it('gives a shortcut another key, and the standard one back', async () => {
    const { wrapper, entry, change } = await open()
    await change('Show only this run', 'q')
    expect(usePreferences().keys).toEqual({ 'app.shortcuts.onlyRun': ['q'] })
    expect(localStorage.getItem('mindinsight.keys')).toBe('{"app.shortcuts.onlyRun":["q"]}')
    expect(wrapper.get('.said').text()).toBe('Show only this run: q')
    await entry('Show only this run').get('[aria-label^="Default key"]').trigger('click')
    expect(usePreferences().keys).toEqual({})
  })

  it('refuses a key that has another meaning, or that needs Ctrl', async () => {
    const { wrapper, change } = await open()
    await change('Show only this run', 'x')
    expect(wrapper.get('.said').text()).toBe('x already means: Mark the run')
    pressKey('q', { ctrlKey: true }, wrapper.get('[role="textbox"]').element)
    await flushPromises()
    expect(wrapper.get('.said').text()).toContain('without Ctrl')
    pressKey('Escape', {}, wrapper.get('[role="textbox"]').element)
    await flushPromises()
    expect([wrapper.find('[role="textbox"]').exists(), usePreferences().keys]).toEqual([false, {}])
  })

  it('leaves keys with Ctrl as they are', async () => {
    const { entry } = await open()
    expect(entry('Undo changes on this page').find('button').exists()).toBe(false)
  })

  it('takes every choice back', async () => {
    const { wrapper } = await open()
    Object.assign(usePreferences(), {
      theme: 'dark',
      density: 'normal',
      runColumnWidth: 400,
      keys: { 'app.shortcuts.markRun': ['q'] },
    })
    await wrapper
      .findAll('button')
      .find((one) => one.text() === 'Reset')!
      .trigger('click')
    expect(usePreferences()).toMatchObject({ theme: 'system', density: 'compact', runColumnWidth: 0, keys: {} })
  })
})

it('uses the keys that a person chose', () => {
  shortcuts.changed.set('app.shortcuts.onlyRun', ['q'])
  shortcuts.press(pressKey('o'))
  expect(run).not.toHaveBeenCalled()
  shortcuts.press(pressKey('q'))
  expect(run).toHaveBeenCalledOnce()
})

it('keeps to keys with Ctrl where single keys are switched off', () => {
  shortcuts.plainKeys = false
  shortcuts.press(pressKey('o'))
  expect(run).not.toHaveBeenCalled()
  shortcuts.press(pressKey('z', { ctrlKey: true }))
  expect(run).toHaveBeenCalledOnce()
  shortcuts.plainKeys = true
})
