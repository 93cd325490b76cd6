import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { defineComponent, h, ref } from 'vue'

import { useRuns } from '../../data/runs/runs'
import { fakeServer, wireRun } from '../../testing/fakeServer'
import { mountPage, pressKey } from '../../testing/mountPage'
import { usePreferences } from '../../scaffold/preferences'
import { shortcuts } from '../../scaffold/shortcuts'
import { exactly } from '../../components/lists/tagNames'
import CommandPalette from './CommandPalette.vue'

const series = {
  run: 1,
  series: 11,
  segment: 0,
  count: 9,
  first_step: 0,
  last_step: 8,
  first_wall: 1,
  last_wall: 2,
  last_value: 0.1,
  min: 0,
  max: 1,
  not_finite: [],
}

const shown = ref(false)
async function open(rows = [wireRun(1, { name: 'lenet/adam' }), wireRun(2, { name: 'lenet/sgd' })], language = 'en') {
  const server = fakeServer(rows, { tags: [{ name: 'loss/train', series: [series] }] } as never)
  server.answers['/api/distributions/tags'] = { tags: [{ name: 'conv1.weight', series: [] }] }
  server.answers['/api/images/tags'] = { store: 's1', tags: [{ name: 'input', series: [] }] }
  shown.value = false
  const Host = defineComponent({
    render: () => h(CommandPalette, { open: shown.value, 'onUpdate:open': (open: boolean) => (shown.value = open) }),
  })
  const mounted = await mountPage(Host, '/settings', language)
  await useRuns().load()
  shown.value = true
  await flushPromises()
  // Only the target address matters here, not its page.
  return vi.spyOn(mounted.router, 'push').mockResolvedValue(undefined)
}
const field = (): HTMLInputElement => document.querySelector('.palette input')!
const titles = (): string[] =>
  [...document.querySelectorAll('.palette .item .grow')].map((one) => one.textContent.trim())
const groups = (): string[] => [...document.querySelectorAll('.palette .label')].map((one) => one.textContent.trim())
async function type(text: string): Promise<void> {
  field().value = text
  field().dispatchEvent(new Event('input', { bubbles: true }))
  await flushPromises()
}
async function choose(title: string): Promise<void> {
  const item = [...document.querySelectorAll<HTMLElement>('.palette .item')].find((one) =>
    one.textContent.includes(title),
  )
  item?.click()
  await flushPromises()
}

describe('the command palette', () => {
  it('begins with pages and what can be done', async () => {
    await open()
    expect(groups()).toEqual(['Pages', 'Actions'])
    expect(titles()).toEqual(expect.arrayContaining(['Scalars', 'Settings', 'Theme: dark']))
  })

  it('finds runs, tags of all kinds and actions', async () => {
    await open()
    await type('lenet')
    expect(titles()).toEqual(expect.arrayContaining(['lenet/adam', 'lenet/sgd']))
    await type('conv1')
    expect([groups(), titles()]).toEqual([['Distributions'], ['conv1.weight']])
    await type('loss/train')
    expect([groups(), titles()]).toEqual([['Scalars'], ['loss/train']])
    await type('zzz')
    expect(document.querySelector('.palette')?.textContent).toContain('Nothing matches “zzz”')
  })

  it.each([
    ['hparams', ['Lineage']],
    ['Time series', ['Scalars']],
    ['histogram', ['Distributions']],
    ['trace viewer', ['Profiler']],
    // Traces are shown on a page of their own, the operator times of a graph on its boxes.
    ['profile', ['Profiler', 'Graph']],
  ])('finds a page by the name that other dashboards give it: %s', async (word, pages) => {
    await open()
    await type(word)
    expect([groups(), titles()]).toEqual([['Pages'], pages])
  })

  it.each(['projector', 'PR curve', 'audio', 'mesh', 'embedding'])(
    'leads %s to what else was recorded',
    async (word) => {
      await open()
      await type(word)
      expect(titles()).toEqual(['Also recorded: PR curves, audio, meshes, embeddings'])
      expect(document.querySelector('.palette .item')?.textContent).toContain('Overview')
    },
  )

  it('leads to a tag alone, and remembers where one went', async () => {
    const push = await open()
    await type('loss')
    await choose('loss/train')
    await vi.waitFor(() => expect(push).toHaveBeenCalledWith({ name: 'scalars', query: { tag: '^loss/train$' } }))
    expect(shown.value).toBe(false)
    shown.value = true
    await flushPromises()
    expect([groups()[0], titles()[0]]).toEqual(['Recent', 'loss/train'])
  })

  it('opens a run', async () => {
    const push = await open()
    await type('sgd')
    await choose('lenet/sgd')
    await vi.waitFor(() =>
      expect(push).toHaveBeenCalledWith({ name: 'runs', query: { run: useRuns().byNumber.get(2)?.id.slice(0, 8) } }),
    )
  })

  it('opens a run of the archive where it is', async () => {
    const push = await open([
      wireRun(1),
      wireRun(2, {
        name: 'old/sgd',
        marks: {
          version: 1,
          tags: [],
          colour: null,
          note: '',
          pinned: false,
          archived: true,
          icon: 0,
          hidden: false,
          baseline: false,
          display_name: '',
          changed: 0,
        },
      }),
    ])
    await type('old')
    await choose('old/sgd')
    await vi.waitFor(() =>
      expect(push).toHaveBeenCalledWith({
        name: 'runs',
        query: { shelf: 'archived', run: useRuns().byNumber.get(2)?.id.slice(0, 8) },
      }),
    )
  })

  it('shows and hides runs, and says which are hidden', async () => {
    await open()
    useRuns().only(1)
    await type('sgd')
    expect([groups(), titles()]).toEqual([
      ['Runs', 'Shown runs'],
      ['lenet/sgd', 'Show lenet/sgd'],
    ])
    expect(document.querySelector('.palette .item')?.textContent).toContain('hidden')
    await choose('Show lenet/sgd')
    await vi.waitFor(() => expect(useRuns().isVisible(2)).toBe(true))
    shown.value = true
    await flushPromises()
    await type('hide adam')
    await choose('Hide lenet/adam')
    await vi.waitFor(() => expect(useRuns().isVisible(1)).toBe(false))
  })

  it('does what a shortcut does', async () => {
    const run = vi.fn()
    const remove = shortcuts.add([{ keys: ['l'], group: 'page', text: 'app.shortcuts.onlyRun', run }])
    await open()
    await type('only')
    await choose('Show only this run')
    await vi.waitFor(() => expect(run).toHaveBeenCalledOnce())
    remove()
  })

  it('is used by keys alone', async () => {
    await open()
    await type('theme dark')
    pressKey('ArrowDown', {}, field())
    pressKey('ArrowUp', {}, field())
    pressKey('Enter', {}, field())
    await vi.waitFor(() => expect(usePreferences().theme).toBe('dark'))
  })

  it('speaks Chinese', async () => {
    await open([], 'zh-CN')
    expect(groups()).toEqual(['页面', '操作'])
    await type('标量')
    expect(titles()).toEqual(['标量'])
  })
})

it('names one tag and no other', () => {
  const only = new RegExp(exactly('a.b(c)/d+'))
  expect([only.test('a.b(c)/d+'), only.test('axb(c)/d'), only.test('a.b(c)/d++')]).toEqual([true, false, false])
})
