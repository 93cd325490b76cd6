/** The page on a fake server: which tensor is shown, the requests, the texts. The drawing is checked in a browser. */
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryHistory, type Router } from 'vue-router'

import { createPages } from '../../app/router'
import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { createTexts } from '../../i18n'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import TensorsPage from './TensorsPage.vue'

vi.mock('../../tensors/grid/TensorGrid.vue', () => ({
  default: {
    name: 'TensorGrid',
    props: ['model', 'label'],
    setup: () => ({ palette: { css: Array.from({ length: 256 }, () => 'red') }, span: { low: -1, high: 1 } }),
    template: '<div class="grid-stub">{{ label }}</div>',
  },
}))

let server: FakeServer
let router: Router
let page: VueWrapper
const SHAPE = [4, 6, 2]

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

let statistics = (query: URLSearchParams): object => {
  const slice = query.get('slice') || '[:, :, :]'
  return {
    run: 1,
    tag: 'w',
    step: 20,
    wall_time: 1000,
    dtype: 'float32',
    shape: SHAPE,
    bytes: 192,
    slice,
    slice_shape: [4, 6],
    slice_bytes: 96,
    of: 'value',
    statistics: {
      count: 24,
      zeros: 6,
      nan: 1,
      pos_inf: 0,
      neg_inf: 2,
      min: -0.5,
      max: 1.5,
      mean: 0.25,
      std: 0.125,
      low: -0.4,
      high: 1.4,
      sparsity: 0.25,
    },
    histogram: { edges: [-0.5, 0.5, 1.5], counts: [20, 1] },
  }
}
const FOUND = { found: true, number: 9, index: [1, 3], whole_index: [1, 3, 0], value: 'NaN' }
const DIFFERENCE = {
  step: 20,
  other_step: 10,
  count: 24,
  equal: 20,
  outside: 3,
  allclose: false,
  max_absolute: 0.5,
  max_relative: 0.1,
  max_ulp: 7,
  mean_absolute: 0.01,
  cosine: 0.99,
  worst: [
    { index: [2, 5], whole_index: [2, 5, 1], one: 'NaN', other: '0.25', absolute: 'NaN', relative: 'NaN', ulp: null },
  ],
  edges: [0, 1],
  counts: [24],
  other_counts: [23],
}
let found: object = FOUND
let refused: Response | null = null

function serve(tags: { name: string; series: object[] }[], runs = [wireRun(1)]): void {
  server = fakeServer(runs)
  server.answers['/api/tensors/tags'] = { store: 's1', tags }
  const plain = globalThis.fetch as unknown as (request: Request) => Promise<Response>
  vi.stubGlobal('fetch', (request: Request) => {
    const { pathname, search, searchParams } = new URL(request.url)
    if (!pathname.startsWith('/api/tensors/') || pathname.endsWith('/tags')) return plain(request)
    server.asked.push({ method: 'GET', path: pathname + search })
    const answers: Record<string, () => object> = {
      steps: () => ({
        series: Number(searchParams.get('series')),
        total: 3,
        first: 0,
        step: [0, 10, 20].slice(Number(searchParams.get('first'))),
        wall_time: [],
      }),
      heads: () => ({
        heads: (searchParams.get('series') ?? '')
          .split(',')
          .map((one) => ({ series: Number(one), dtype: 'float32', shape: SHAPE, error: null })),
      }),
      statistics: () => statistics(searchParams),
      find: () => found,
      difference: () => DIFFERENCE,
    }
    if (refused && pathname.endsWith('statistics')) return Promise.resolve(refused.clone())
    return Promise.resolve(Response.json(answers[pathname.split('/').pop() ?? '']()))
  })
}

async function open(path = '/tensors?panel=open', language = 'en'): Promise<void> {
  router = createPages(createMemoryHistory())
  await router.push(path)
  page = mount(TensorsPage, { global: { plugins: [router, createTexts(language)] }, attachTo: document.body })
  await useRuns().load()
  await vi.waitFor(async () => {
    await flushPromises()
    if (!page.find('.stats dd, .state, [role=alert]').exists()) throw new Error('nothing yet')
  }, 3000)
  await flushPromises()
}

const asked = (part: string): string[] =>
  server.asked.map(({ path }) => decodeURIComponent(path)).filter((path) => path.includes(part))
const model = (): {
  goTo: (index: number[]) => void
  state: { cell: { value: object } }
  planeText: { value: string }
} => page.findComponent({ name: 'TensorGrid' }).props('model')

beforeEach(() => {
  found = FOUND
  refused = null
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
afterEach(() => page.unmount())

describe('the tensors page', () => {
  it('shows the newest tensor of the first tag with its statistics', async () => {
    serve([
      { name: 'w', series: [series(1, 11)] },
      { name: 'grad/w', series: [series(1, 12)] },
    ])
    await open()
    expect(page.findAll('[role=option]').map((option) => option.text())).toEqual([
      'w4×6×2 float32✕ 1',
      'w4×6×2 float32',
    ])
    expect(page.get('.toolbar').text()).toContain('[4, 6, 2]')
    const figures = page.findAll('.stats div').map((figure) => `${figure.get('dt').text()} ${figure.get('dd').text()}`)
    expect(figures).toEqual([
      'min −0.5000',
      'mean 0.2500',
      'max 1.500',
      'std 0.1250',
      'zeros 25%',
      '✕ NaN 1',
      '✕ ±Inf +0 −2',
      'elements 24',
      'size 96 B',
    ])
    expect(page.get('.grid-stub').text()).toBe('w[:, :, 0] at step 20')
    expect(asked('statistics')[0]).toContain('store=s1&series=11&index=2')
  })

  it('follows the step cursor, and says which step stands for one that is missing', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    useCursor().set(15)
    await vi.waitFor(() => expect(asked('statistics').at(-1)).toContain('index=1'))
    expect(page.get('.toolbar').text()).toContain('step 10 (requested 15)')
    useCursor().set(-1)
    await flushPromises()
    expect(page.text()).toContain('Nothing recorded up to step −1')
  })

  it('slices by text, with proposals, and points at what is wrong', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    const field = page.get('[role=combobox]')
    await field.setValue('[:, 9]')
    expect(page.get('.why').text()).toBe('[:, 9]Index 9 is outside axis 1, which has 6 entries.')
    expect(page.get('.why mark').text()).toBe('9')
    await field.setValue('[1')
    await field.setValue('')
    await field.trigger('keydown', { key: 'ArrowDown' })
    expect(page.findAll('.pop [role=option]').length).toBeGreaterThan(2)
    await field.setValue('[:, -1, ::2]')
    await field.trigger('keydown', { key: 'Enter' })
    await vi.waitFor(() => expect(router.currentRoute.value.query['slice']).toBe('[:, -1, ::2]'))
    expect(asked('statistics').at(-1)).toContain('slice=[:, 5, ::2]')
  })

  it('moves along an axis by its slider and its buttons', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    await page.get('[aria-label="Axis 2: one on"]').trigger('click')
    await flushPromises()
    expect(model().planeText.value).toBe('[:, :, 1]')
    await page.get('[aria-label="Index of axis 2"]').setValue('0')
    await flushPromises()
    expect(model().planeText.value).toBe('[:, :, 0]')
    await page.get('[aria-label="Show axis 2 whole"]').trigger('click')
    await flushPromises()
    expect(page.get('.grid-stub').text()).toContain('w[:, :, :]')
    expect(model().planeText.value).toBe('[:, :, 0]')
  })

  it('jumps to the next NaN in the plane, else in the whole tensor, and says so', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    const button = page.findAll('.insp button').find((one) => one.text().startsWith('next NaN'))
    await button?.trigger('click')
    await flushPromises()
    expect(model().state.cell.value).toEqual({ row: 1, column: 3 })
    expect(page.get('.outcome').text()).toBe('NaN at [1, 3, 0]')
    found = { found: false, number: null, index: [], whole_index: [], value: null }
    await button?.trigger('click')
    await flushPromises()
    expect(page.get('.outcome').text()).toBe('No NaN in the whole tensor')
    expect(asked('find').length).toBe(3)
  })

  it('compares with the previous step and goes to the largest difference', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    await page.get('select[aria-label="Compare with"]').setValue('previous')
    await vi.waitFor(() => expect(page.find('.verdict .err').exists()).toBe(true))
    expect(page.get('.verdict').text()).toContain('3 of 24 outside')
    expect(asked('difference')[0]).toContain('other_series=11&other_index=1')
    await page.get('[aria-label="Relative tolerance"]').setValue('0.5')
    await flushPromises()
    await vi.waitFor(() => expect(asked('difference').at(-1)).toContain('rtol=0.5'))
    await vi.waitFor(() => expect(page.find('.worst .textlink').exists()).toBe(true))
    await page.get('.worst .textlink').trigger('click')
    await flushPromises()
    expect(model().state.cell.value).toEqual({ row: 2, column: 5 })
    expect(model().planeText.value).toBe('[:, :, 1]')
  })

  it('asks nothing about a new tensor in the shape of the one before', async () => {
    serve([
      { name: 'flat', series: [series(1, 12)] },
      { name: 'w', series: [series(1, 11)] },
    ])
    const shapes: Record<string, number[]> = { 11: SHAPE, 12: [7] }
    const plain = statistics
    statistics = (query) => ({
      ...plain(query),
      shape: shapes[query.get('series') ?? ''],
      slice: query.get('slice') || (query.get('series') === '12' ? '[:]' : '[:, :, :]'),
    })
    await open()
    const options = page.findAll('[role=listbox] [role=option]')
    for (const at of [1, 0, 1]) {
      await options[at].trigger('click')
      await vi.waitFor(() => expect(page.get('.toolbar').text()).toContain(at ? '[4, 6, 2]' : '[7]'))
      await flushPromises()
    }
    const slices = (number: number): Set<string | null> =>
      new Set(
        server.asked
          .filter(({ path }) => path.includes(`series=${number}&`))
          .map(({ path }) => new URLSearchParams(path.split('?')[1]).get('slice'))
          .filter((slice) => slice),
      )
    statistics = plain
    expect([...slices(12)]).toEqual([])
    expect([...slices(11)]).toEqual(['[:, :, 0]'])
  })

  it('compares two runs', async () => {
    serve([{ name: 'w', series: [series(1, 11), series(2, 21)] }], [wireRun(1), wireRun(2)])
    await open()
    const values = page
      .findAll('select[aria-label="Compare with"] optgroup option')
      .map((option) => option.attributes('value') ?? '')
    await page.get('select[aria-label="Compare with"]').setValue(values.find((value) => value.startsWith('run~')))
    await vi.waitFor(() => expect(asked('difference').length).toBe(1))
    expect(asked('difference')[0]).toMatch(/series=(11|21)&index=2.*other_series=(21|11)&other_index=2/)
  })

  it('offers the slice and the whole as files', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open()
    const links = page.findAll('.insp a').map((link) => decodeURIComponent(link.attributes('href') ?? ''))
    expect(links[0]).toMatch(/file\?store=s1&series=11&index=2&slice=\[:,\+:,\+0\]&format=npy$/)
    expect(links[2]).toMatch(/slice=&format=npy$/)
  })

  it('says what cannot be read', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    refused = refusal(404, 'file_gone', 'The record is gone.')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The tensor cannot be shown')
    refused = null
    await page.get('[role=alert] button').trigger('click')
    await vi.waitFor(() => expect(page.find('.stats dd').exists()).toBe(true))
  })

  it.each([
    ['No runs yet', [] as ReturnType<typeof wireRun>[]],
    ['No tensors in these runs', [wireRun(1)]],
  ])('says %s', async (title, runs) => {
    serve([], runs)
    await open()
    expect(page.text()).toContain(title)
  })

  it('is Chinese in Chinese', async () => {
    serve([{ name: 'w', series: [series(1, 11)] }])
    await open('/tensors?panel=open', 'zh-CN')
    expect(page.get('.stats').text()).toContain('标准差')
    expect(page.text()).not.toMatch(/tensors\./)
  })
})
