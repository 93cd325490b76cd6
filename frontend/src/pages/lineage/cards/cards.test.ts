/**
 * The cards on a table of runs and recorded answers: their contents, their requests, and what they pass to each other.
 */
import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, ref, shallowRef } from 'vue'

import { fakeServer, wireRun, type FakeServer } from '../../../testing/fakeServer'
import { mountPage } from '../../../testing/mountPage'
import { useRuns } from '../../../data/runs/runs'
import { provideLineage, type LineageContext } from '../context'
import type { Column, LineageTable } from '../table'
import LineageCards from './LineageCards.vue'
import LineageDrawers from './LineageDrawers.vue'

vi.mock('../../../charts/drawing/usePlotCanvas', () => ({ usePlotCanvas: () => undefined }))

const LR = [0.1, 0.01, 0.001, 0.0001]
const ACCURACY = [0.5, 0.9, 0.8, NaN]
const number = (name: string, group: Column['group'], values: number[], better: Column['better'] = null): Column => ({
  kind: 'number',
  name,
  group,
  set: values.length,
  better,
  values: Float64Array.from(values),
  missing: null,
})
const COLUMNS: Column[] = [
  number('opened', 'run', [1000, 2000, 3000, 4000]),
  number('params.lr', 'params', LR),
  {
    kind: 'category',
    name: 'params.optimizer',
    group: 'params',
    set: 4,
    better: null,
    codes: Uint8Array.of(1, 2, 1, 2),
    values: ['adam', 'sgd'],
  },
  number('metrics.accuracy', 'metrics', ACCURACY, 'max'),
  number('metrics.loss', 'metrics', [2, 1, 0.5, 3], 'min'),
]
const TABLE: LineageTable = {
  store: 's1',
  count: 4,
  of: 4,
  milliseconds: 1,
  runs: Uint32Array.of(1, 2, 3, 4),
  columns: new Map(COLUMNS.map((one) => [one.name, one])),
}
const RESULT = {
  n: 3,
  left_out: { no_target: 1 },
  fit: { r2: 0.71, low: 0.6, high: 0.8 },
  parameters: [
    {
      name: 'lr',
      same: [],
      kind: 'log',
      importance: 0.61,
      low: 0.55,
      high: 0.67,
      rank: -0.42,
      rank_low: -0.5,
      rank_high: -0.3,
      set: 4,
      distinct: 4,
    },
    {
      name: 'optimizer',
      same: [],
      kind: 'category',
      importance: 0.04,
      low: 0,
      high: 0.1,
      rank: null,
      rank_low: null,
      rank_high: null,
      set: 4,
      distinct: 2,
    },
  ],
  interactions: [{ a: 'lr', b: 'optimizer', strength: 0.11, low: 0.08, high: 0.14 }],
  effects: [
    { name: 'lr', kind: 'log', x: [0.0001, 0.1], mean: [0.5, 0.8], low: [0.4, 0.7], high: [0.6, 0.9], missing: null },
  ],
  notices: [{ code: 'too_few', n: 3, least: 10 }],
}
const done = (result: object): object => ({ state: 'done', progress: 1, problem: null, result })

let server: FakeServer
let context: LineageContext

async function open(address = '/lineage', language = 'en'): Promise<VueWrapper> {
  const passing = shallowRef(Uint8Array.of(1, 1, 1, 0))
  const shades = shallowRef(Uint8Array.of(0, 0, 0, 2))
  const ends = ref([0.5, 0.9] as const)
  context = {
    now: { passing, ends },
    worth: ref({ levels: new Int16Array(4), low: 0, high: 1, log: false }),
    passing,
    shades,
    ends,
    table: shallowRef(TABLE),
    query: ref(''),
    target: ref('metrics.accuracy'),
    axes: ref([]),
    brushes: ref(new Map()),
    preview: () => undefined,
    passingCount: ref(3),
    palette: ref(['rgb(1 2 3)', 'rgb(9 9 9)', '#808080']),
    colourOf: () => 'rgb(1 2 3)',
    highlighted: ref(null),
    hidden: ref(new Set<number>()),
    opened: ref(null),
    selection: ref<ReadonlySet<number>>(new Set()),
    ranking: ref<readonly string[]>([]),
  }
  const root = defineComponent({
    setup() {
      provideLineage(context)
      return () => [h(LineageCards), h(LineageDrawers)]
    },
  })
  const { wrapper } = await mountPage(root, address, language)
  await useRuns().load()
  await flushPromises()
  return wrapper
}

beforeEach(() => {
  server = fakeServer([1, 2, 3, 4].map((run) => wireRun(run)))
  server.answers['/api/lineage/importance'] = done(RESULT)
})

const card = (page: VueWrapper, name: string): VueWrapper | ReturnType<VueWrapper['get']> =>
  page.get(`section[aria-label="${name}"]`)

it('says what mattered in figures with their intervals, and in words', async () => {
  const text = card(await open(), 'Parameter importance').text()
  for (const words of [
    'n = 3',
    'lr',
    '0.61',
    '0.55 to 0.67',
    '−0.42',
    'Only 3 runs have the target',
    'optimizer has an effect only together with lr (interaction 0.11 ± 0.03)',
    'explains 0.71',
  ])
    expect(text).toContain(words)
  expect(server.asked.some(({ path }) => path === '/api/lineage/importance?target=metrics.accuracy')).toBe(true)
})

it('shows the effect of the parameter that is clicked', async () => {
  const page = await open()
  expect(card(page, 'Runs by').text()).toContain('Effect of')
  await card(page, 'Parameter importance').get('[aria-label="Show the effect of optimizer"]').trigger('click')
  await flushPromises()
  expect((card(page, 'Runs by').get('select').element as HTMLSelectElement).value).toBe('params.optimizer')
})

it('marks the front of two results', async () => {
  const page = await open('/lineage?x=metrics.loss')
  expect(card(page, 'Runs by').text()).toContain(
    '2 runs on the Pareto front: none has both a lower loss and a higher accuracy.',
  )
  expect(card(page, 'Runs by').find('path.stairs').exists()).toBe(true)
})

it('walks through the runs by keys, and brushes what a box holds', async () => {
  const page = await open()
  const plot = card(page, 'Runs by').get('[role=slider]')
  await plot.trigger('keydown', { key: 'End' })
  expect(context.highlighted.value).toBe(0)
  expect(plot.attributes('aria-valuetext')).toBe('run_1: lr 0.1, accuracy 0.5')
  await plot.trigger('pointerdown', { button: 0, clientX: 50, clientY: 10 })
  await plot.trigger('pointermove', { clientX: 330, clientY: 100 })
  await plot.trigger('pointerup')
  expect([...context.brushes.value.keys()]).toEqual(['params.lr', 'metrics.accuracy'])
  expect(context.brushes.value.get('params.lr')?.ranges).toHaveLength(1)
})

it('lists the best runs with their distance, and compares those that are chosen', async () => {
  server.answers['/api/lineage/compare'] = {
    runs: [2, 3],
    sections: [
      {
        name: 'params',
        rows: [
          { name: 'lr', values: [0.01, 0.001], set: [true, true], same: false },
          { name: 'epochs', values: [3, 3], set: [true, true], same: true },
        ],
      },
      { name: 'environment', rows: [{ name: 'git.revision', values: ['a1', null], set: [true, false], same: false }] },
    ],
  }
  const page = await open()
  const best = card(page, 'Best of the selection')
  expect(best.findAll('tbody tr').map((row) => row.get('th').text())).toEqual(['run_2', 'run_3', 'run_1'])
  expect(best.findAll('td.delta').map((cell) => cell.text())).toEqual(['', '−0.1000', '−0.4000'])
  for (const run of ['run_2', 'run_3']) await best.get(`[aria-label="Choose ${run} to compare"]`).setValue(true)
  await best
    .findAll('button')
    .find((button) => button.text() === 'Compare 2')!
    .trigger('click')
  await flushPromises()
  const drawer = page.get('aside')
  expect(drawer.text()).toContain('not set')
  expect(drawer.text()).not.toContain('epochs')
  await drawer.get('input[type=checkbox]').setValue(true)
  expect(drawer.text()).toContain('epochs')
})

it('explains why the newest run is behind the best one', async () => {
  server.answers['/api/lineage/gap'] = done({
    best: 2,
    run: 3,
    best_value: 0.9,
    run_value: 0.8,
    together: { change: 0.08, low: 0.02, high: 0.11 },
    unexplained: 0.02,
    notices: [],
    parts: [
      { name: 'lr', best_value: 0.01, run_value: 0.001, change: 0.07, low: 0.02, high: 0.12 },
      { name: 'optimizer', best_value: 'sgd', run_value: 'adam', change: -0.01, low: -0.02, high: 0 },
    ],
  })
  const page = await open()
  await card(page, 'Best of the selection')
    .findAll('button')
    .find((button) => button.text() === 'Explain the gap')!
    .trigger('click')
  await flushPromises()
  const drawer = page.get('aside')
  for (const words of [
    'run_2 reached 0.9000, run_3 reached 0.8000: 0.1000 between them',
    '+0.07',
    '+0.08',
    '+0.02',
    '−0.01',
    'sgd',
  ])
    expect(drawer.text()).toContain(words)
  expect(server.asked.some(({ path }) => path.startsWith('/api/lineage/gap?run=3&target=metrics.accuracy'))).toBe(true)
})

it('tells how far the work is, what failed, and that there is no target', async () => {
  server.answers['/api/lineage/importance'] = {
    state: 'failed',
    progress: 0,
    problem: { code: 'analysis_failed', message: 'The forest burnt down.', detail: {} },
    result: null,
  }
  const page = await open('/lineage', 'zh-CN')
  expect(page.text()).toContain('The forest burnt down.')
  server.answers['/api/lineage/importance'] = {
    state: 'failed',
    progress: 0,
    problem: { code: 'importance_missing', message: 'Install it.', detail: {} },
    result: null,
  }
  await page.get('[role="alert"] button').trigger('click')
  await flushPromises()
  expect(page.text()).toContain("pip install 'mindinsight[importance]'")
  context.target.value = ''
  await flushPromises()
  expect(page.text()).toContain('请选择一个指标作为优化目标')
})

it('shows how the target is spread, and the best so far', async () => {
  const page = await open('/lineage?card=histogram')
  expect(card(page, 'Parameter importance').findAll('rect.all').length).toBeGreaterThan(2)
  expect(card(page, 'Best so far').text()).toContain('run_2 is the best with 0.9000; one run came after it.')
  expect(card(page, 'Every column against every other').findAll('.cell')).toHaveLength(3)
})
