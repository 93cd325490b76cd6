import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, type Router } from 'vue-router'

import { createPages } from '../../app/router'
import { createHub, setHub } from '../../data/live/hub'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, wireRun, wireSeries, type FakeServer } from '../../data/testing/server'
import { FakeSocket } from '../../data/testing/socket'
import { createTexts } from '../../i18n'
import ScalarsPage from './ScalarsPage.vue'

// Drawing needs a real canvas, so a browser test checks it.
vi.mock('../../charts/LineChart.vue', () => ({
  default: {
    name: 'LineChart',
    props: ['title', 'series', 'rows', 'moments', 'view', 'cursor', 'layers'],
    template: '<div class="chart">{{ title }}</div>',
  },
}))

let server: FakeServer
let router: Router
let page: VueWrapper

function seenAs(width: number, height: number): void {
  for (const [name, size] of [
    ['offsetWidth', width],
    ['clientWidth', width],
    ['offsetHeight', height],
    ['clientHeight', height],
  ] as const) {
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(size)
  }
}

async function open(path = '/scalars', language = 'en'): Promise<void> {
  router = createPages(createMemoryHistory())
  await router.push(path)
  page = mount(ScalarsPage, { global: { plugins: [router, createTexts(language)] }, attachTo: document.body })
  await useRuns().load()
  await flushPromises()
}

const charts = (): string[] => page.findAll('.chart').map((chart) => chart.text())

beforeEach(() => {
  server = fakeServer()
  FakeSocket.made = []
  setHub(createHub('ws://here/ws/live', FakeSocket.make))
  setActivePinia(createPinia())
  seenAs(1016, 900)
  // Cards are mounted frame by frame; here all at once.
  vi.stubGlobal('requestAnimationFrame', (callback: (now: number) => void) => {
    queueMicrotask(() => callback(performance.now()))
    return 1
  })
})
afterEach(() => {
  page.unmount()
  setHub(null)
})

function twoRuns(): void {
  server.runs = [wireRun(1), wireRun(2)]
  server.tags = {
    loss: [wireSeries(1, 11, { min: 0.01, max: 5 }), wireSeries(2, 21)],
    'train/lr': [wireSeries(1, 12)],
    'train/speed': [wireSeries(2, 22)],
    acc: [wireSeries(1, 13, { min: 0.1, max: 0.9 })],
    steps: [wireSeries(1, 14)],
  }
}

describe('the scalars page', () => {
  it("has the charts of a run's own layout, by category", async () => {
    server.runs = [wireRun(1, { writer: 'tensorboard' })]
    server.tags = { 'loss/train': [wireSeries(1, 11)], 'loss/test': [wireSeries(1, 12)], acc: [wireSeries(1, 13)] }
    const charts = [
      { run: 1, category: 'Mine', title: 'Both', patterns: ['loss/.*'], tags: [] },
      { run: 1, category: 'Mine', title: 'Nothing', patterns: ['none'], tags: [] },
    ]
    server.refusals.set('/api/scalars/layouts', { status: 200, body: { charts } })
    await open('/scalars?pin=none')
    const heads = (): string[] => page.findAll('h2').map((head) => head.text())
    await vi.waitFor(() => expect(heads()[0]).toBe('Mine'))
    expect(page.findAll('.chart').map((chart) => chart.text())[0]).toBe('Both')
    await page.get('[aria-label="Change this chart"]').trigger('click')
    await flushPromises()
    expect(heads()[0]).toBe('Own charts')
    expect(heads()).not.toContain('Mine')
  })

  it('shows every tag, the loss large and first', async () => {
    twoRuns()
    await open()
    expect(charts()).toEqual(['loss', 'acc', 'steps', 'train/lr', 'train/speed'])
    expect(page.find('.hero').attributes('aria-label')).toBe('loss')
    expect(page.findAll('h2').map((head) => head.text())).toEqual(['Pinned', 'train'])
  })

  it('has tags with one point in every run in a table, unless a training may record more', async () => {
    server.runs = [wireRun(1), wireRun(2, { state: 'running', last_step: 2 })]
    const once = { count: 1, last_step: 0 }
    server.tags = {
      loss: [wireSeries(1, 11), wireSeries(2, 21)],
      'test/acc': [wireSeries(1, 12, { ...once, last_value: 0.75 })],
      'hparam/acc': [wireSeries(1, 13, once), wireSeries(2, 23, { ...once, last_value: 0.5 })],
      now: [wireSeries(2, 24, { count: 1, last_step: 2 })],
    }
    await open()
    expect(charts()).toEqual(['loss', 'now'])
    expect(page.findAll('.values tr').map((row) => row.findAll('th, td').map((cell) => cell.text()))).toEqual([
      ['tag', 'run_1', 'run_2'],
      ['hparam/acc', '1', '0.5000'],
      ['test/acc', '0.7500', '–'],
    ])
    await page.find('.values tbody button').trigger('click')
    await flushPromises()
    expect(charts()).toEqual(['hparam/acc'])
  })

  it('lets one to three charts share the page', async () => {
    twoRuns()
    await open('/scalars?tag=train')
    expect(page.findAll('.even > .hero').length).toBe(2)
    await router.push('/scalars')
    await flushPromises()
    expect(page.find('.even').exists()).toBe(false)
  })

  it('draws the visible runs of a tag and picks its scale', async () => {
    twoRuns()
    await open()
    const [loss, acc] = page.findAllComponents({ name: 'LineChart' })
    expect(loss.props('series')).toMatchObject([
      { series: 11, run: 1, name: 'run_1' },
      { series: 21, run: 2 },
    ])
    expect([loss.props('view').yScale, acc.props('view').yScale]).toEqual(['log', 'linear'])
    useRuns().toggle(1)
    await flushPromises()
    expect(charts()).toEqual(['loss', 'train/speed'])
  })

  it('draws superseded segments, unless somebody does not want to see them', async () => {
    const segments = [0, 51].map((first_step, number) => ({
      number,
      first_step,
      last_step: 100,
      first_wall: 1000 + first_step,
    }))
    server.runs = [wireRun(1, { segments }), wireRun(2)]
    server.tags = {
      loss: [wireSeries(1, 12, { segment: 1, first_step: 60, first_wall: 1060 }), wireSeries(1, 11), wireSeries(2, 21)],
      acc: [wireSeries(1, 13)],
    }
    await open()
    const [loss, acc] = page.findAllComponents({ name: 'LineChart' })
    expect(loss.props('series')).toMatchObject([
      { series: 11, segment: 0, restart: 51, origin: 1000 },
      { series: 12, segment: 1, restart: null, origin: 1000 },
      { series: 21, restart: null },
    ])
    expect(loss.props('moments')).toMatchObject([{ run: 1, step: 51, wall: 1051 }])
    // No newer segment has it, so it is the newest.
    expect(acc.props('series')).toMatchObject([{ series: 13, restart: null }])
    await page.get('.check input').setValue(false)
    await flushPromises()
    expect(router.currentRoute.value.query).toEqual({ superseded: 'hide' })
    expect(loss.props('series').map((one: { series: number }) => one.series)).toEqual([12, 21])
    expect(loss.props('rows').length).toBe(2)
  })

  it('offers no choice of segments where no run restarted', async () => {
    twoRuns()
    await open()
    expect(page.find('.check').exists()).toBe(false)
  })

  it('notes in its toolbar that runs are still being read', async () => {
    twoRuns()
    server.runs[0] = wireRun(1, { bytes: 1000, bytes_read: 610, reading: { events_per_second: 10, seconds_left: 12 } })
    await open()
    await vi.waitFor(() => expect(page.get('.toolbar').text()).toContain('Reading 1 run: 61 %, about 12 s left'))
    useRuns().toggle(1)
    await flushPromises()
    expect(page.find('[role="progressbar"]').exists()).toBe(false)
  })

  it('takes its state from the address and writes it there', async () => {
    twoRuns()
    await open('/scalars?x=relative&y=log&smooth=0&tag=^train')
    expect(charts()).toEqual(['train/lr', 'train/speed'])
    const chart = page.findComponent({ name: 'LineChart' })
    expect(chart.props()).toMatchObject({
      view: { x: 'relative', yScale: 'log', smoothing: { kind: 'ema', amount: 0 } },
    })
    await page.find('select').setValue('wall')
    await page.find('input[type=search]').setValue('lr')
    await flushPromises()
    expect(router.currentRoute.value.query).toMatchObject({ x: 'wall', tag: 'lr', y: 'log' })
    expect(page.text()).toContain('1 of 5')
  })

  it('pins and unpins', async () => {
    twoRuns()
    await open()
    const pin = (at: number): Promise<void> =>
      page
        .findAll('[aria-pressed]')
        .filter((one) => one.attributes('aria-label')?.match(/in$/))
        [at].trigger('click')
    await pin(0)
    await flushPromises()
    expect(router.currentRoute.value.query['pin']).toBe('acc,steps')
    expect(page.find('.hero').attributes('aria-label')).toBe('acc')
  })

  it('mounts a few dozen of ten thousand charts', async () => {
    server.runs = [wireRun(1)]
    server.tags = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`layer${at % 40}/w${at}`, [wireSeries(1, at + 1)]]),
    )
    await open()
    expect(charts().length).toBeGreaterThan(5)
    expect(charts().length).toBeLessThan(60)
    expect(page.text()).toContain('Pinned')
  })

  it('says since when its data is old', async () => {
    twoRuns()
    await open()
    FakeSocket.last.hello()
    FakeSocket.last.drop()
    await flushPromises()
    expect(page.find('.chip.warn').text()).toMatch(/^as of \d\d:\d\d:\d\d$/)
  })
})

describe('without charts', () => {
  it('leads to the first run when there is none', async () => {
    await open()
    expect(page.text()).toContain('No runs yet')
    expect(page.find('a.btn').attributes('href')).toBe('/runs')
  })

  it('offers to show hidden runs', async () => {
    twoRuns()
    await open()
    useRuns().choose([])
    await flushPromises()
    expect(page.text()).toContain('All 2 runs are hidden')
    await page.find('button.btn').trigger('click')
    await flushPromises()
    expect(charts().length).toBe(5)
  })

  it('offers near matches and the way back', async () => {
    twoRuns()
    await open('/scalars?tag=lss')
    expect(page.text()).toContain('No tag matches “lss”')
    await page
      .findAll('button.mono')
      .find((button) => button.text() === 'loss')!
      .trigger('click')
    await flushPromises()
    expect(charts()).toEqual(['loss'])
    await page.find('input[type=search]').setValue('qqqqqqqqqq')
    await flushPromises()
    await page.find('.textlink').trigger('click')
    await flushPromises()
    expect(charts().length).toBe(5)
  })

  it('says why nothing could be loaded and tries again', async () => {
    server.refusals.set('/api/runs', 'unreachable')
    await open()
    expect(page.find('[role=alert]').text()).toContain('The dashboard does not answer')
    server.refusals.clear()
    twoRuns()
    await page.find('[role=alert] button').trigger('click')
    await flushPromises()
    expect(charts().length).toBe(5)
  })

  it('shows skeletons only when it takes long', async () => {
    vi.useFakeTimers()
    router = createPages(createMemoryHistory())
    await router.push('/scalars')
    page = mount(ScalarsPage, { global: { plugins: [router, createTexts('en')] } })
    expect(page.find('[aria-busy]').exists()).toBe(true)
    expect(page.findAll('.sk').length).toBe(0)
    await vi.advanceTimersByTimeAsync(150)
    expect(page.findAll('.sk').length).toBeGreaterThan(0)
    vi.useRealTimers()
  })

  it('speaks Chinese', async () => {
    await open('/scalars', 'zh-CN')
    expect(page.text()).toContain('暂无训练')
  })
})
