import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { shortcuts } from '../../scaffold/shortcuts'
import { useConnection } from '../../data/live/connection'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage, pressKey, type Mounted } from '../../testing/mountPage'
import './cards/LineageCards.vue'
import './LineagePage.vue'
import { encodeTable, type TestColumn } from './testing/tables'

const COLUMNS: TestColumn[] = [
  { name: 'params.lr', group: 'params', values: [0.1, 0.01, 0.001, null] },
  { name: 'params.optimizer', group: 'params', values: ['adam', 'sgd', 'adam', 'lamb'] },
  { name: 'metrics.accuracy', group: 'metrics', better: 'max', values: [0.9, 0.5, 0.8, NaN] },
]
const answer = (columns = COLUMNS, version = '"1"'): Response =>
  new Response(encodeTable(columns[0].values.length, columns), { headers: { ETag: version } })

async function open(address = '/lineage', table: Response = answer()): Promise<Mounted & { server: FakeServer }> {
  const server = fakeServer([1, 2, 3, 4].map((number) => wireRun(number, { name: `sweep/run_${number}` })))
  server.answers['/api/lineage/table'] = table
  const mounted = await mountPage(null, address)
  useConnection()
  server.socket().open()
  await useRuns().load()
  await vi.waitFor(() => expect(mounted.wrapper.find('section.list tbody tr[id], .state').exists()).toBe(true))
  return { ...mounted, server }
}
const names = ({ wrapper }: Mounted): string[] =>
  wrapper.findAll('section.list tbody tr[id] td .name').map((cell) => cell.text())
const button = ({ wrapper }: Mounted, text: string) => {
  const found = wrapper.findAll('button').find((one) => one.text() === text || one.attributes('aria-label') === text)
  if (!found) throw new Error(`There is no button ${text}.`)
  return found
}

beforeEach(() => giveElementsSize())

describe('LineagePage', () => {
  it('lists the runs, the best first, with the target beside the axes', async () => {
    const page = await open()
    expect(names(page)).toEqual(['run_1', 'run_3', 'run_2', 'run_4'])
    expect(page.wrapper.findAll('.head .name').map((head) => head.find('.mono').text())).toEqual([
      'lr',
      'optimizer',
      'accuracy',
    ])
    expect(page.wrapper.find('section.list tbody tr[id]').text()).toContain('0.9')
  })

  it('narrows the list by the brushes of the address and takes one away again', async () => {
    const page = await open('/lineage?brush=params.lr|0.005..1')
    expect(names(page)).toEqual(['run_1', 'run_2'])
    expect(page.wrapper.find('.toolbar').text()).toContain('2 of 4 runs')
    await page.wrapper.find('.chip.acc').trigger('click')
    await vi.waitFor(() => expect(page.router.currentRoute.value.query['brush']).toBeUndefined())
    expect(names(page)).toHaveLength(4)
  })

  it('brushes by typed ranges and by values, by keyboard alone', async () => {
    const page = await open()
    await page.wrapper.findAll('.head .name')[0].trigger('click')
    await page.wrapper.find('.menu input.mono').setValue('0.001 .. 0.05')
    await page.wrapper.find('.menu form').trigger('submit')
    await vi.waitFor(() => expect(page.router.currentRoute.value.query['brush']).toBe('params.lr|0.001..0.05'))
    expect(names(page)).toEqual(['run_3', 'run_2'])
    await page.wrapper.find('.menu').trigger('keydown', { key: 'Escape' })
    expect(page.wrapper.find('.menu').exists()).toBe(false)
  })

  it('moves, turns round and removes an axis by keys', async () => {
    const page = await open()
    const heads = (): string[] => page.wrapper.findAll('.head .name .mono').map((head) => head.text())
    await page.wrapper.findAll('.head .name')[0].trigger('keydown', { key: 'ArrowRight' })
    expect(heads()).toEqual(['optimizer', 'lr', 'accuracy'])
    await page.wrapper.findAll('.head .name')[1].trigger('keydown', { key: 'i' })
    await vi.waitFor(() =>
      expect(page.router.currentRoute.value.query['axes']).toBe('c:params.optimizer~-l:params.lr~n:metrics.accuracy'),
    )
    await page.wrapper.findAll('.head .name')[0].trigger('keydown', { key: 'Delete' })
    expect(heads()).toEqual(['lr', 'accuracy'])
  })

  it('shows new runs without losing the brushes, and asks for news with one question', async () => {
    const page = await open('/lineage?brush=params.optimizer|=adam')
    page.server.answers['/api/lineage/table'] = answer(
      COLUMNS.map((column) => ({
        ...column,
        values: [...column.values, column.name === 'params.optimizer' ? 'adam' : 0.95],
      })),
      '"2"',
    )
    page.server
      .socket()
      .message({ type: 'runs', complete: false, runs: [wireRun(5, { name: 'sweep/run_5' })], removed: [], series: [] })
    await vi.waitFor(() => expect(names(page)).toEqual(['run_5', 'run_1', 'run_3']), 3000)
    expect(page.router.currentRoute.value.query['brush']).toBe('params.optimizer|=adam')
    expect(page.server.asked.filter(({ path }) => path.startsWith('/api/lineage/table'))).toHaveLength(2)
  })

  it('selects and hides runs, and says what could not be done', async () => {
    const page = await open()
    page.server.answers['/api/runs/marks'] = refusal(503, 'busy', 'The reader is busy.')
    shortcuts.press(pressKey('j'))
    shortcuts.press(pressKey('x'))
    await flushPromises()
    expect(page.wrapper.find('section.list').text()).toContain('1 selected')
    await button(page, 'Hide').trigger('click')
    await flushPromises()
    expect(page.server.asked.at(-1)).toEqual({ method: 'PATCH', path: '/api/runs/marks' })
    expect(names(page)).toHaveLength(4)
  })

  it('shows the note of another person before either is kept', async () => {
    const page = await open()
    const uid = wireRun(1).id
    const theirs = {
      version: 4,
      tags: [],
      colour: null,
      note: 'theirs',
      pinned: false,
      archived: false,
      icon: 0,
      hidden: false,
      baseline: false,
      display_name: '',
      changed: 1,
    }
    page.server.answers[`/api/runs/${uid}/marks`] = Response.json(
      { code: 'stale_marks', message: 'stale', detail: { id: uid, marks: theirs } },
      { status: 409 },
    )
    await page.wrapper.find('section.list tbody tr[id] button.note').trigger('click')
    await page.wrapper.find('section.list textarea').setValue('mine')
    await page.wrapper.find('section.list textarea').trigger('keydown', { key: 'Enter' })
    await vi.waitFor(() => expect(page.wrapper.find('.conflict').text()).toContain('theirs'))
    page.server.answers[`/api/runs/${uid}/marks`] = { ...theirs, version: 5, note: 'mine' }
    await button(page, 'Save mine').trigger('click')
    await vi.waitFor(() => expect(page.wrapper.find('section.list button.note').text()).toBe('mine'))
  })

  it('tells what a query found, what it means nothing by, and failures', async () => {
    const empty = await open('/lineage?q=zzz', new Response(encodeTable(0, []), {}))
    expect(empty.wrapper.text()).toContain('No runs yet')
    const failed = await open('/lineage', refusal(500, 'boom', 'It broke.'))
    expect(failed.wrapper.text()).toContain('The runs cannot be compared')
  })
})
