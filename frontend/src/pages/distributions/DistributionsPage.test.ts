/** The page on a fake server: its cards, requests and messages. */
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, type Router } from 'vue-router'

import { createPages } from '../../app/router'
import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { createTexts } from '../../i18n'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import DistributionsPage from './DistributionsPage.vue'
import type { WireHistogram } from './drawing/histogram'
import { forgetHistograms } from './source'
import { wireHistogram, wireView } from './testing'

// The drawing needs a real canvas: browser tests check it.
vi.mock('./cards/DistributionPlot.vue', () => ({
  default: {
    name: 'DistributionPlot',
    props: ['of', 'frame', 'exact', 'view', 'height', 'colour', 'cursor', 'describedBy'],
    template: '<div class="plot">{{ of.tag }}</div>',
  },
}))
vi.mock('../../charts/drawing/usePlotCanvas', () => ({ usePlotCanvas: () => undefined }))

const SAYS = 'step 20 · median 0.571, half in 0.214 to 0.929, nine tenths in −0.5 to 1.75'

let server: FakeServer
let router: Router
let page: VueWrapper
let stored: Map<number, WireHistogram[]>

const series = (run: number, number: number, changes: object = {}): object => ({
  run,
  series: number,
  segment: 0,
  count: 3,
  first_step: 0,
  last_step: 20,
  last_wall: 1000,
  ...changes,
})

/** Answers for histograms depend on the query: one step, or all. */
function answerHistograms(): void {
  const plain = globalThis.fetch as unknown as (request: Request) => Promise<Response>
  vi.stubGlobal('fetch', (request: Request) => {
    const url = new URL(request.url)
    if (url.pathname.endsWith('/distributions/view')) {
      server.asked.push({ method: 'GET', path: url.pathname + url.search })
      const lines = (url.searchParams.get('of') ?? '').split(',').map((one) => one.split(':'))
      const all = lines.flatMap(([number, until]) =>
        (stored.get(Number(number)) ?? []).filter((one) => until === undefined || one.step < Number(until)),
      )
      if (!lines.every(([number]) => stored.has(Number(number))))
        return Promise.resolve(refusal(404, 'unknown_series', 'There is no such series.'))
      return Promise.resolve(new Response(wireView(all, Number(url.searchParams.get('cells')))))
    }
    if (!url.pathname.endsWith('/histograms')) return plain(request)
    server.asked.push({ method: 'GET', path: url.pathname + url.search })
    const number = Number(url.searchParams.get('series'))
    const all = stored.get(number)
    if (!all)
      return Promise.resolve(
        refusal(404, 'unknown_series', `There is no series ${number} of histograms; its run may be gone.`),
      )
    const step = url.searchParams.get('step')
    const most = Number(url.searchParams.get('at_most'))
    const found =
      step === null
        ? all.length > most
          ? [all[0], ...all.slice(1 - most)]
          : all
        : all.filter((one) => one.step <= Number(step)).slice(-1)
    return Promise.resolve(Response.json({ series: number, run: 1, tag: '', total: all.length, histograms: found }))
  })
}

function serve(tags: { name: string; series: object[] }[], runs = [wireRun(1)]): void {
  server = fakeServer(runs)
  server.answers['/api/distributions/tags'] = { tags }
  answerHistograms()
}

async function open(path = '/distributions?open=none', language = 'en'): Promise<void> {
  router = createPages(createMemoryHistory())
  await router.push(path)
  page = mount(DistributionsPage, { global: { plugins: [router, createTexts(language)] }, attachTo: document.body })
  await useRuns().load()
  await flushPromises()
  await flushPromises()
}

const cards = (): string[] => page.findAll('section.card').map((card) => card.attributes('aria-label') ?? '')
const openOptions = (): Promise<void> => page.get('button[aria-label="Cards, scale and runs"]').trigger('click')
const steps = (): number[] =>
  page
    .findComponent({ name: 'DistributionPlot' })
    .props('frame')
    .rows.map((one: { last: number }) => one.last)

beforeEach(() => {
  forgetHistograms()
  stored = new Map()
  for (const number of [11, 12, 21])
    stored.set(
      number,
      [0, 10, 20].map((step) => wireHistogram(step)),
    )
  setActivePinia(createPinia())
  for (const [name, size] of [
    ['offsetWidth', 1016],
    ['clientWidth', 1016],
    ['offsetHeight', 900],
    ['clientHeight', 900],
  ] as const) {
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(size)
  }
})
afterEach(() => {
  page.unmount()
  vi.useRealTimers()
})

describe('the distributions page', () => {
  it('has a card for each tag, as recorded or by name', async () => {
    serve([
      { name: 'bias', series: [series(1, 12)] },
      { name: 'conv', series: [series(1, 11)] },
    ])
    await open()
    expect(cards()).toEqual(['conv', 'bias'])
    await page.get('select[aria-label="Order of tags"]').setValue('name')
    await flushPromises()
    expect(cards()).toEqual(['bias', 'conv'])
  })

  it('puts the runs of a tag side by side', async () => {
    serve([{ name: 'w', series: [series(1, 11), series(2, 21)] }], [wireRun(1), wireRun(2)])
    await open()
    const panes = (): (string | undefined)[] =>
      page
        .findAll('.pane')
        .map((pane) => pane.attributes('aria-label'))
        .sort()
    expect(page.findAll('section.card h3').map((head) => head.text())).toEqual(['w'])
    expect(panes()).toEqual(['w of run_1', 'w of run_2'])
    useRuns().toggle(2)
    await flushPromises()
    expect(cards()).toEqual(['w'])
  })

  it('opens on the cards of layers with several runs and tags, on the large view with one', async () => {
    const tags = ['v', 'w'].map((name, at) => ({ name, series: [series(1, 11 + at), series(2, 21 + at)] }))
    serve(tags, [wireRun(1), wireRun(2)])
    await open('/distributions')
    expect(page.find('.at-large').exists()).toBe(false)
    expect(page.findAll('.pane')).toHaveLength(4)
    useRuns().toggle(2)
    await flushPromises()
    expect(page.find('.at-large').exists()).toBe(true)
  })

  it('shows the only tag that matches at large, with several runs too', async () => {
    serve([{ name: 'w', series: [series(1, 11), series(2, 21)] }], [wireRun(1), wireRun(2)])
    await open('/distributions')
    expect(page.find('.at-large').exists()).toBe(true)
  })

  it('shows the options whose choices are not the usual ones', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open('/distributions?scale=common')
    expect(page.find('select[aria-label="Scale of values"]').exists()).toBe(true)
    await openOptions()
    expect(page.find('select[aria-label="Scale of values"]').exists()).toBe(false)
  })

  it('holds a layer in one card, its runs side by side or overlaid, or each tag in its own', async () => {
    serve(
      [
        { name: 'conv1.weight', series: [series(1, 11), series(2, 21)] },
        { name: 'conv1.bias', series: [series(1, 12)] },
      ],
      [wireRun(1), wireRun(2)],
    )
    await open()
    const heads = (): string[] => page.findAll('section.card h3').map((head) => head.text())
    const panes = (): (string | undefined)[] => page.findAll('.pane').map((pane) => pane.attributes('aria-label'))
    expect(heads()).toEqual(['conv1'])
    expect(panes().sort()).toEqual(['bias of run_1', 'weight of run_1', 'weight of run_2'])
    await openOptions()
    await page.get('select[aria-label="Runs of one tag"]').setValue('overlaid')
    await flushPromises()
    expect(panes()).toEqual(['weight', 'bias of run_1'])
    expect(page.findAll('.runs li .unseen').map((one) => one.text())).toEqual(Array(2).fill(SAYS))
    await page.get('select[aria-label="What a card holds"]').setValue('tag')
    await flushPromises()
    expect(heads()).toEqual(['conv1.weight', 'conv1.bias'])
    await page.get('.runs button').trigger('click')
    await flushPromises()
    expect(page.get('.at-large').attributes('aria-label')).toBe('conv1.weight, enlarged')
  })

  it('has one scale of values for all cards where somebody asks for it', async () => {
    serve([
      { name: 'v', series: [series(1, 11)] },
      { name: 'w', series: [series(1, 12)] },
    ])
    stored.set(12, [wireHistogram(0, { left: [100], width: [10], count: [5], min: 100, max: 110 })])
    await open()
    const intervals = (): number[][] =>
      page.findAllComponents({ name: 'DistributionPlot' }).map((plot) => {
        const { low, high } = plot.props('frame').interval
        return [low, high]
      })
    expect(intervals()).toEqual([
      [-1, 2],
      [100, 110],
    ])
    await openOptions()
    await page.get('select[aria-label="Scale of values"]').setValue('common')
    await flushPromises()
    expect(intervals()).toEqual([
      [-1, 110],
      [-1, 110],
    ])
  })

  it('sorts by size, the largest or the smallest first', async () => {
    serve([
      { name: 'v', series: [series(1, 11)] },
      { name: 'w', series: [series(1, 12)] },
    ])
    const measure = { ks: 0, wasserstein: 0, at_zero: 0, exact_zero: false, not_finite: 0 }
    server.answers['/api/distributions/measures'] = {
      measures: [
        { ...measure, series: 11, max_abs: 3 },
        { ...measure, series: 12, max_abs: 7 },
      ],
    }
    await open('/distributions?open=none&sort=size')
    await vi.waitFor(() => expect(cards()).toEqual(['w', 'v']))
    await page.get('select[aria-label="Order of tags"]').setValue('small')
    await vi.waitFor(() => expect(cards()).toEqual(['v', 'w']))
  })

  it.each([
    ['a bucket of zeros alone', { left: [-1, 0, 0], width: [1, 0, 1], count: [40, 20, 40] }, '20% zeros'],
    ['few exact zeros', { left: [-1, 0, 0], width: [1, 0, 1], count: [48, 4, 48] }, ''],
    [
      'a narrow bucket with most elements',
      { left: [-9, 0, 0.1], width: [9, 0.1, 9], count: [20, 60, 20] },
      '≤ 60% zeros',
    ],
    ['a narrow bucket with less than half', { left: [-9, 0, 0.1], width: [9, 0.1, 9], count: [30, 40, 30] }, ''],
  ])('tells zeros of %s', async (_, buckets, told) => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    stored.set(11, [wireHistogram(0, buckets)])
    await open('/distributions')
    const mark = page.get('button.mini').find('.mark')
    expect(mark.exists() ? mark.text() : '').toBe(told)
  })

  it('says in a sentence what is drawn', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    stored.get(11)![1] = wireHistogram(10, { nan_count: 3 })
    await open()
    expect(page.get('.says').text()).toBe(SAYS)
    expect(page.get('section.card > .unseen').text()).toContain('✕ NaN or Inf at 1 step')
  })

  it('draws all steps, and fetches the nearest earlier histogram for the step cursor', async () => {
    serve([{ name: 'w', series: [series(1, 11, { count: 200 })] }])
    stored.set(
      11,
      Array.from({ length: 200 }, (_, at) => wireHistogram(10 * at)),
    )
    await open()
    expect(steps()).toHaveLength(200)
    useCursor().set(155)
    await vi.waitFor(() => expect(page.get('.says').text()).toContain('step 150'))
    expect(server.asked.map(({ path }) => path)).toContain('/api/distributions/histograms?series=11&at_most=2&step=155')
    expect(page.get('.chips').text()).toContain('step 150 (requested 155)')
    useCursor().move(1)
    await vi.waitFor(() => expect(page.get('.says').text()).toContain('step 160'))
    expect(page.get('.chips').text()).not.toContain('asked')
  })

  it('leaves out what a later segment trained again', async () => {
    serve([{ name: 'w', series: [series(1, 11), series(1, 12, { segment: 1, first_step: 15, last_step: 40 })] }])
    stored.set(
      12,
      [15, 40].map((step) => wireHistogram(step)),
    )
    await open()
    expect(steps()).toEqual([0, 10, 15, 40])
  })

  it('shows the same as a table', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    stored.get(11)![1] = wireHistogram(10, {
      left: [],
      width: [],
      count: [],
      min: null,
      max: null,
      error: { code: 'file_gone', message: 'The record at byte 5 of a.events is gone.', detail: {} },
    })
    await open()
    await page.get('section.card').trigger('keydown', { key: 't' })
    await flushPromises()
    const rows = page.findAll('tbody tr').map((row) => row.findAll('th, td').map((cell) => cell.text()))
    expect(rows[0]).toEqual(['20', '100', '−0.9000', '−0.5000', '0.2143', '0.5714', '0.9286', '1.750', '1.900', '–'])
    expect(rows[1][0]).toBe('0')
    expect(page.get('.lost').text()).toContain('1 not readable')
    useCursor().set(10)
    await vi.waitFor(() => expect(page.get('.lost').text()).toContain('The record at byte 5 of a.events is gone.'))
    useCursor().followNewest()
    await flushPromises()
    expect(page.get('tr[aria-current]').text()).toContain('20')
    expect(page.get('.chips').text()).toContain('1 not readable')
  })

  it('switches all cards, or one', async () => {
    serve([
      { name: 'v', series: [series(1, 11)] },
      { name: 'w', series: [series(1, 12)] },
    ])
    await open()
    const views = (): string[] => page.findAllComponents({ name: 'DistributionPlot' }).map((plot) => plot.props('view'))
    await page.get('select[aria-label="View of this card"]').setValue('bands')
    expect(views()).toEqual(['bands', 'ridge'])
    await page.findAll('[role=radio]')[3].trigger('click')
    await flushPromises()
    expect(views()).toEqual(['heat', 'heat'])
    await vi.waitFor(() => expect(router.currentRoute.value.query).toMatchObject({ view: 'heat' }))
  })

  it('compares two steps at large, and two runs', async () => {
    serve([{ name: 'w', series: [series(1, 11), series(2, 21)] }], [wireRun(1), wireRun(2)])
    stored.set(11, [wireHistogram(0, { left: [5], width: [1], count: [9] }), wireHistogram(20)])
    await open('/distributions?open=1:w')
    expect(page.get('.at-large').attributes('aria-label')).toBe('w, enlarged')
    expect(page.get('.ks').text()).toBe('KS distance 1')
    expect(page.get('[role=status]').text()).toContain('Strongly different: the shares below')
    await page.get('select[aria-label="Compare with"]').setValue('2')
    await flushPromises()
    await vi.waitFor(() => expect(page.get('.ks').text()).toBe('KS distance 0'))
    expect(page.get('.key').text()).toContain('run_2')
    await page.get('[aria-label="Close the large view"]').trigger('click')
    await flushPromises()
    expect(page.find('.at-large').exists()).toBe(false)
  })

  it('shows layers small beside what is at large, and opens one', async () => {
    serve([
      { name: 'a.weight', series: [series(1, 11)] },
      { name: 'b.weight', series: [series(1, 12)] },
    ])
    stored.get(12)![2] = wireHistogram(20, { nan_count: 2 })
    await open('/distributions')
    const minis = () => page.findAll('button.mini')
    expect(
      minis().map((mini) => [mini.get('.name').text(), mini.find('.mark').exists() ? mini.get('.mark').text() : '']),
    ).toEqual([
      ['a', ''],
      ['b', '✕ 1'],
    ])
    expect(minis()[0].attributes('aria-pressed')).toBe('true')
    await minis()[1].trigger('click')
    await flushPromises()
    expect(page.get('.at-large').attributes('aria-label')).toBe('b.weight, enlarged')
    expect(page.get('.numbers').text()).toContain('max|x| 1.9')
  })

  it('leads to the tensors of the same tag, where there are some', async () => {
    serve([
      { name: 'a', series: [series(1, 11)] },
      { name: 'b', series: [series(1, 12)] },
    ])
    server.answers['/api/tensors/tags'] = { store: 's1', tags: [{ name: 'b', series: [] }] }
    await open('/distributions?open=1:b')
    await vi.waitFor(() => expect(page.get('.acts a').attributes('href')).toBe('/tensors?tag=b'))
    await page.findAll('button.mini')[0].trigger('click')
    await flushPromises()
    expect(page.find('.acts a').exists()).toBe(false)
  })

  it('puts runs together, and sorts by change', async () => {
    serve(
      [
        { name: 'v', series: [series(1, 12)] },
        { name: 'w', series: [series(1, 11), series(2, 21)] },
      ],
      [wireRun(1), wireRun(2)],
    )
    server.answers['/api/distributions/measures'] = {
      measures: [11, 12, 21].map((number) => ({
        series: number,
        ks: number === 12 ? 0.1 : 0.8,
        wasserstein: 1,
        at_zero: 0,
        exact_zero: false,
        max_abs: 1,
        not_finite: 0,
      })),
    }
    await open('/distributions?open=none&sort=change&pool=together')
    await vi.waitFor(() => expect(cards()).toEqual(['w of 2 runs together', 'v of run_1']))
    expect(server.asked.some(({ path }) => /view\?of=(11%2C21|21%2C11)/.test(path))).toBe(true)
  })

  it('asks again for what grew, not more than once a second', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    useRuns()
    server.answers['/api/distributions/tags'] = {
      tags: [{ name: 'w', series: [series(1, 11, { count: 4, last_step: 30 })] }],
    }
    stored.get(11)!.push(wireHistogram(30))
    const asked = (): number => server.asked.filter(({ path }) => path.startsWith('/api/distributions/tags')).length
    const before = asked()
    for (const bytes_read of [6_000_000, 7_000_000, 8_000_000]) {
      server.answers['/api/runs'] = { count: 1, results: [wireRun(1, { bytes_read })] }
      await useRuns().load()
    }
    await vi.waitFor(() => expect(steps()).toEqual([0, 10, 20, 30]), 3000)
    expect(asked()).toBe(before + 1)
  })

  it('says what failed on a card', async () => {
    serve([{ name: 'w', series: [series(1, 99)] }])
    await open()
    expect(page.get('.failed').text()).toContain('The histograms could not be loaded.')
    stored.set(99, [wireHistogram(1)])
    await page.get('.failed button').trigger('click')
    await flushPromises()
    expect(page.find('.failed').exists()).toBe(false)
    expect(steps()).toEqual([1])
  })

  it('says what failed altogether', async () => {
    serve([])
    server.answers['/api/distributions/tags'] = refusal(500, 'internal', 'Something broke.')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The distributions cannot be loaded')
  })

  it.each([
    ['No runs yet', [] as ReturnType<typeof wireRun>[]],
    ['No histograms in these runs', [wireRun(1)]],
  ])('says %s', async (title, runs) => {
    serve([], runs)
    await open()
    expect(page.text()).toContain(title)
  })

  it('helps where no tag matches', async () => {
    serve([{ name: 'conv1.weight', series: [series(1, 11)] }])
    await open('/distributions?tag=conv1.wieght')
    expect(page.text()).toContain('No tag matches')
    await page.get('button.mono').trigger('click')
    await flushPromises()
    expect(cards()).toContain('conv1.weight')
  })
})
