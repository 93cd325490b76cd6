import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'

import { useRuns } from '../../data/runs/runs'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage, pressKey } from '../../testing/mountPage'
import OverviewPage from './OverviewPage.vue'

vi.mock('../../charts/LineChart.vue', () => ({
  default: { props: ['title'], template: '<i class="chart">{{ title }}</i>' },
}))

let server: FakeServer
let page: VueWrapper
let router: Router

const scalar = (series: number, count = 9) => ({
  run: 1,
  series,
  segment: 0,
  count,
  first_step: 0,
  last_step: 8,
  first_wall: 1,
  last_wall: 2,
  last_value: 0.25,
  min: 0,
  max: 1,
  not_finite: [],
})
const recorded = (series: number, count: number) => ({
  run: 1,
  series,
  segment: 0,
  count,
  first_step: 0,
  last_step: 30,
  last_wall: null,
})
const details = (changes = {}) => ({
  runs: [
    {
      number: 1,
      id: 'x',
      name: 'run_1',
      state: 'finished',
      segments: [],
      params: { lr: 0.001, max_steps: 400 },
      metrics: { accuracy: 0.95 },
      tags: { tensor: ['logits'] },
      ...changes,
    },
  ],
})

async function open(address = '/overview', language = 'en'): Promise<void> {
  ;({ wrapper: page, router } = await mountPage(OverviewPage, address, language))
  await useRuns().load()
  await flushPromises()
  await flushPromises()
}
const tile = (name: string) =>
  page.findAll('section').find((one) => one.find('h2').exists() && one.get('h2').text() === name)

beforeEach(() => {
  giveElementsSize()
  vi.stubGlobal('IntersectionObserver', undefined)
  server = fakeServer([wireRun(1, { last_step: 100, state: 'running' }), wireRun(2)])
  Object.assign(server.answers, {
    '/api/scalars/tags': {
      tags: [
        { name: 'loss', series: [scalar(11)] },
        { name: 'accuracy', series: [scalar(12)] },
        { name: 'once', series: [scalar(13, 1)] },
      ],
    },
    '/api/runs/details': details(),
    '/api/distributions/tags': { tags: [{ name: 'fc.weight', series: [recorded(21, 4)] }] },
    '/api/distributions/histograms': {
      series: 21,
      run: 1,
      tag: 'fc.weight',
      total: 4,
      histograms: [
        {
          step: 30,
          wall_time: 1,
          left: [-1, 0],
          width: [1, 1],
          count: [3, 5],
          min: -1,
          max: 1,
          sum: 0,
          nan_count: 2,
          pos_inf_count: 0,
          neg_inf_count: 0,
          error: null,
        },
      ],
    },
    '/api/images/tags': { store: 'st', tags: [{ name: 'batch', series: [recorded(31, 7)] }] },
    '/api/text/tags': { store: 'st', tags: [{ name: 'note', series: [recorded(41, 3)] }] },
    '/api/text/list': {
      series: 41,
      run: 1,
      tag: 'note',
      total: 3,
      texts: [
        {
          index: 2,
          step: 30,
          wall_time: 1,
          shape: [],
          cells: ['some **words**'],
          characters: 14,
          complete: true,
          markdown: true,
          sound: true,
          error: null,
        },
      ],
    },
  })
})

describe('the training overview', () => {
  it('names what the run recorded and no page shows', async () => {
    server.answers['/api/runs/details'] = details({ tags: { audio: ['a'], pr_curve: ['p', 'q'], other: ['x'] } })
    await open()
    expect(page.text()).toContain('Also recorded, not shown here: 1 audio, 2 PR curves. Open it with TensorBoard.')
  })

  it('shows everything that the run records', async () => {
    await open()
    expect(page.findAll('.chart').map((chart) => chart.text())).toEqual(['loss', 'accuracy'])
    expect(tile('Images')?.get('img').attributes('src')).toContain('series=31&index=6')
    expect(tile('Distributions')?.text()).toContain('2 not finite')
    await vi.waitFor(() => expect(tile('Text')?.find('strong').text()).toBe('words'))
    expect(tile('Hyper-parameters')?.text()).toContain('0.001')
    expect(tile('Metrics')?.text()).toContain('0.95')
    expect(tile('Tensors')?.text()).toContain('logits')
    expect(tile('Files')?.text()).toContain('No damage was found')
    expect(server.asked.filter(({ path }) => path.startsWith('/api/text/list'))[0].path).toContain('first=2')
  })

  it('says how far the run is, and when it ends where its parameters say how long it is', async () => {
    await open()
    const text = page.get('[aria-label="Progress"]').text()
    expect(text).toContain('of 400')
    expect(text).toContain('Left')
    expect(page.get('[aria-label="Progress"] [role=progressbar]').attributes('aria-valuenow')).toBe('25')
    server.answers['/api/runs/details'] = details({ params: {} })
    page.unmount()
    await open()
    expect(page.get('[aria-label="Progress"]').text()).not.toContain('Left')
  })

  it('leads to every page with the run and nothing else', async () => {
    await open('/overview?at=20')
    const links = page.findAll('a').map((link) => link.attributes('href') ?? '')
    const id = wireRun(1).id.slice(0, 4)
    for (const name of ['scalars', 'images', 'distributions', 'text'])
      expect(
        links.some((href) => href.startsWith(`/${name}?`) && href.includes(`runs=${id}`) && href.includes('at=20')),
      ).toBe(true)
  })

  it('goes from run to run by keys and by the list', async () => {
    await open()
    const { shortcuts } = await import('../../scaffold/shortcuts')
    shortcuts.press(pressKey('j'))
    await vi.waitFor(() => expect(router.currentRoute.value.query['run']).toBe(wireRun(2).id.slice(0, 12)))
    await page.get('select').setValue('1')
    await vi.waitFor(() => expect(router.currentRoute.value.query['run']).toBe(wireRun(1).id.slice(0, 12)))
  })

  it('says which call writes what is missing', async () => {
    Object.assign(server.answers, {
      '/api/scalars/tags': { tags: [] },
      '/api/distributions/tags': { tags: [] },
      '/api/images/tags': { store: 'st', tags: [] },
      '/api/text/tags': { store: 'st', tags: [] },
      '/api/runs/details': details({ params: {}, metrics: {}, tags: {} }),
    })
    await open()
    for (const call of ['add_scalar', 'add_histogram', 'add_image', 'add_text', 'add_tensor', 'add_hparams'])
      expect(page.text()).toContain(call)
  })

  it('names what is damaged, and where the run began again', async () => {
    server.answers['/api/runs'] = {
      count: 1,
      results: [
        wireRun(1, {
          damage: {
            count: 2,
            file: 'a.1',
            offset: 7,
            reason: 'payload_crc',
            message: 'broken',
            code: 'payload_crc',
            detail: {},
          } as never,
          segments: [
            { number: 0, first_step: 0, last_step: 50, first_wall: 1 },
            { number: 1, first_step: 40, last_step: 90, first_wall: 2 },
          ],
        }),
      ],
    }
    await open()
    expect(tile('Files')?.text()).toContain('a.1\nThe record at byte 7 fails its checksum.')
    expect(tile('Files')?.text()).toContain('Restarted 1 time')
    expect(tile('Files')?.text()).toContain('steps 40 to 90')
  })

  it('says that a run is gone, that there is none, and what went wrong', async () => {
    await open('/overview?run=abcdef')
    expect(page.text()).toContain('There is no such run')
    page.unmount()
    server.answers['/api/runs/details'] = refusal(500, 'server_error', 'no')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The run could not be loaded')
    server.answers['/api/runs/details'] = details()
    await page.get('[role=alert] button').trigger('click')
    await flushPromises()
    expect(page.findAll('.chart')).toHaveLength(2)
    page.unmount()
    server.answers['/api/runs'] = { count: 0, results: [] }
    await open('/overview', 'zh-CN')
    expect(page.text()).toContain('训练记录数据后')
  })
})
