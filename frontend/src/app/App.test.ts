import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { useCursor } from '../data/runs/cursor'
import { useRuns } from '../data/runs/runs'
import { fakeServer, wireRun } from '../testing/fakeServer'
import { giveElementsSize } from '../testing/layout'
import { mountPage, pressKey, type Mounted } from '../testing/mountPage'
import App from './App.vue'
import { usePreferences } from '../scaffold/preferences'

beforeEach(() => giveElementsSize())

async function open(address: string): Promise<Mounted> {
  fakeServer([wireRun(1), wireRun(2)])
  const mounted = await mountPage(App, address)
  await flushPromises()
  return mounted
}

describe('the shell', () => {
  it('has the pages that exist, and says which one is open', async () => {
    const { wrapper } = await open('/runs')
    expect(wrapper.findAll('nav a').map((link) => link.text())).toEqual(
      expect.arrayContaining(['Runs', 'Scalars', 'Distributions', 'Images', 'Settings']),
    )
    expect(wrapper.get('nav [aria-current="page"]').text()).toBe('Runs')
    expect(document.title).toBe('Runs · MindInsight')
    expect(wrapper.get('.crumb').text()).toContain('~/summaries')
  })

  it('says when an address leads nowhere', async () => {
    const { wrapper } = await open('/nowhere')
    expect(wrapper.get('main').text()).toContain('There is no page at this address')
  })

  it('reads shown runs and the step from the address', async () => {
    await open('/settings?runs=none&at=120')
    expect(useRuns().visible.size).toBe(0)
    expect(useCursor().step).toBe(120)
  })

  it('writes shown runs to the address and carries them along links', async () => {
    const { wrapper, router } = await open('/settings')
    useRuns().only(2)
    await vi.waitFor(() => expect(router.currentRoute.value.query['runs']).toMatch(/^[0-9a-f]+$/))
    expect(wrapper.get('nav a').attributes('href')).toContain('runs=')
  })

  it('goes to a page by g and its letter, unless shortcuts are off', async () => {
    const { router } = await open('/settings')
    usePreferences().shortcuts = 'off'
    pressKey('g')
    pressKey('r')
    await flushPromises()
    expect(router.currentRoute.value.name).toBe('settings')
    usePreferences().shortcuts = 'on'
    pressKey('g')
    pressKey('r')
    await vi.waitFor(() => expect(router.currentRoute.value.name).toBe('runs'))
  })

  it('draws the sheet from the registry', async () => {
    await open('/settings')
    pressKey('?')
    await vi.waitFor(
      () => expect(document.querySelector('[role="dialog"]')?.textContent).toContain('Go to Scalars'),
      20_000,
    )
  }, 30_000)

  it('switches language and theme, on the page and for the next visit', async () => {
    const { wrapper } = await open('/settings')
    await wrapper.get('.top .lang').trigger('click')
    expect(document.documentElement.lang).toBe('zh-CN')
    expect(wrapper.get('main h1').text()).toBe('设置')
    usePreferences().theme = 'dark'
    await flushPromises()
    expect(document.documentElement.dataset['theme']).toBe('dark')
    expect(localStorage.getItem('mindinsight.theme')).toBe('dark')
  })

  it('has a skip link that leads to the page', async () => {
    const { wrapper } = await open('/settings')
    await wrapper.get('a.skip').trigger('click')
    expect(document.activeElement?.id).toBe('main')
  })

  it('undoes and does again what was changed on a page, in words', async () => {
    const { wrapper, router } = await open('/settings')
    const button = (label: string) => wrapper.find(`.top button[aria-label^="${label}"]`)
    expect(button('Nothing to undo').attributes('disabled')).toBeDefined()
    const runs = useRuns()
    await vi.waitFor(() => expect(runs.loaded).toBe(true))
    const [first] = runs.rows
    runs.toggle(first.number)
    await vi.waitFor(() => expect(router.currentRoute.value.query['runs']).toBeDefined())
    expect(button(`Undo: Hide ${first.name}`).exists()).toBe(true)
    pressKey('z', { ctrlKey: true })
    await vi.waitFor(() => expect(runs.isVisible(first.number)).toBe(true))
    expect(document.body.textContent).toContain(`Undone: Hide ${first.name}`)
    expect(router.currentRoute.value.query['runs']).toBeUndefined()
    pressKey('Z', { ctrlKey: true, shiftKey: true })
    await vi.waitFor(() => expect(runs.isVisible(first.number)).toBe(false))
    expect(button('Do again').exists()).toBe(false)
  })
})
