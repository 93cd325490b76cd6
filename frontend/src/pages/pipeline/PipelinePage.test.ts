import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'

import { useRuns } from '../../data/runs/runs'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import { mountPage, pressKey } from '../../testing/mountPage'
import PipelinePage from './PipelinePage.vue'
import type { Finding, Operator, Pipeline } from './source'

let server: FakeServer
let page: VueWrapper
let router: Router

const operator = (number: number, kind: string, children: number[], changes: Partial<Operator> = {}): Operator => ({
  number,
  op_type: kind,
  children,
  workers: 1,
  threads: 0,
  processes: false,
  where: `code/train.py:${number + 9}`,
  rows: 1200,
  rate: 209,
  busy: 0.02,
  row_seconds: 0.0001,
  processor: 0.9,
  queue: null,
  costs: [],
  ...changes,
})
const finding: Finding = {
  operator: 1,
  reason: 'one_worker',
  operation: 'slow',
  operation_share: 0.9,
  workers: 1,
  busy: 0.98,
  input_full: 0.97,
  output_empty: 0.91,
  processors: 0.3,
  action: 'workers',
  count: 4,
  gain: 3.1,
}
const queue = { size: 15, length: 16, fill: 0.94, full: 0.97, empty: 0 }
const pipeline = (changes: Partial<Pipeline> = {}): Pipeline => ({
  run: 1,
  file: '',
  files: [],
  records: 61,
  wall_time: 100,
  seconds: 61,
  span: 10,
  processors: 2,
  processor: 0.5,
  operators: [
    operator(0, 'ImageFolder', [], { queue, threads: 1 }),
    operator(1, 'Map', [0], {
      threads: 2,
      busy: 0.98,
      queue: { ...queue, size: 0, fill: 0.01, full: 0, empty: 0.91 },
      costs: [
        { name: 'slow', rows: 8, seconds: 0.0047, processor: 0.001, share: 0.9, python: true, random: false },
        { name: 'RandomCrop', rows: 8, seconds: 0.0005, processor: 0.0005, share: 0.1, python: false, random: true },
      ],
    }),
    operator(2, 'TextFile', []),
    operator(3, 'Zip', [1, 2]),
  ],
  queue: { size: 0, length: 16, fill: 0, full: 0, empty: 0.9 },
  finding,
  finding_share: 1,
  waiting: 0.534,
  data_bound: true,
  epochs: [
    { epoch: 1, steps: 100, waiting: 4, duration: 10 },
    { epoch: 2, steps: 100, waiting: 6, duration: 10 },
  ],
  steps: { step: [1, 2, 3], waiting: [0, 0.05, 0.06], duration: [0.1, 0.1, 0.1] },
  history: {
    seconds: [1, 2],
    operators: [0, 1, 2, 3].map(() => ({ rate: [200, 209], fill: [0.5, null] })),
    fill: [0, 0.1],
  },
  skipped: null,
  ...changes,
})
const summary = (run: number, file = '') => ({
  run,
  file,
  waiting: 0.5,
  data_bound: true,
  bottleneck: 'Map',
  error: null,
})

async function open(address = '/pipeline', language = 'en'): Promise<void> {
  ;({ wrapper: page, router } = await mountPage(PipelinePage, address, language))
  await useRuns().load()
  await flushPromises()
  await flushPromises()
}
const node = (name: string) => page.findAll('.node').find((one) => one.get('b').text() === name)

beforeEach(() => {
  server = fakeServer([wireRun(1, { state: 'running' }), wireRun(2)])
  Object.assign(server.answers, {
    '/api/pipelines': { pipelines: [summary(1), summary(2)] },
    '/api/pipelines/files': { pipelines: [] },
    '/api/pipelines/show': pipeline(),
    '/api/graphs/sources': { sources: [{ graph: 'dataset:run_1', run: 1, kind: 'dataset', name: '', nodes: null }] },
  })
})

describe('the data pipeline', () => {
  it('names the bottleneck, the evidence, the reason and what to do', async () => {
    await open()
    const said = page.get('[aria-label="Bottleneck"]').text()
    expect(said).toContain('Map (train.py:10)')
    expect(said).toContain('The queue before it was full 97 % of the time, the one behind it empty 91 %.')
    expect(said).toContain('slow takes 90 % of its time. One worker computes it, which was busy 98 % of the time.')
    expect(said).toContain('Set num_parallel_workers=4. By the measured times, batches should come 3.1 times as fast.')
    expect(node('Map')?.classes()).toContain('slow')
    expect(page.findAll('.node.slow')).toHaveLength(1)
  })

  it('has each operator with its rate, and each queue with its fill', async () => {
    await open()
    expect(page.findAll('.node b').map((one) => one.text())).toEqual(['ImageFolder', 'Map', 'TextFile', 'Zip'])
    expect(node('Map')?.text()).toContain('209/s')
    expect(node('Map')?.text()).toContain('2 threads')
    const bars = page.findAll('.queue .bar').map((one) => one.attributes('aria-label'))
    expect(bars).toEqual([
      'Queue of 16 slots, 94 % full on average. Writers waited for room 97 % of the time, the reader for a row 0 %.',
      'Queue of 16 slots, 1 % full on average. Writers waited for room 0 % of the time, the reader for a row 91 %.',
      'Queue of 16 slots, 0 % full on average. Writers waited for room 0 % of the time, the reader for a row 90 %.',
    ])
    expect(page.get('.training').text()).toContain('waits 53 % of the time')
  })

  it('reads the waiting by epoch and by step with the arrow keys', async () => {
    await open()
    const epochs = page.get('[role=slider][aria-label="By epoch"]')
    expect(epochs.attributes('aria-valuetext')).toBe('epoch 2: 60 %')
    await epochs.trigger('keydown', { key: 'ArrowLeft' })
    expect(epochs.attributes('aria-valuetext')).toBe('epoch 1: 40 %')
    const steps = page.get('[role=slider][aria-label="By step"]')
    await steps.trigger('keydown', { key: 'Home' })
    expect(steps.attributes('aria-valuetext')).toBe('step 1: 0 %')
  })

  it('opens an operator, which the address keeps', async () => {
    await open()
    await node('Map')?.trigger('click')
    await vi.waitFor(() => expect(router.currentRoute.value.query).toMatchObject({ operator: '1' }))
    const panel = page.get('aside')
    expect(panel.text()).toContain('code/train.py:10')
    expect(panel.findAll('.costs li').map((one) => one.text())).toEqual([
      expect.stringContaining('function of the program'),
      expect.stringContaining('random'),
    ])
    await open('/pipeline?operator=0')
    expect(page.get('aside').attributes('aria-label')).toBe('Operator ImageFolder')
  })

  it('has keys', async () => {
    await open()
    const { shortcuts } = await import('../../scaffold/shortcuts')
    shortcuts.press(pressKey('b'))
    await vi.waitFor(() => expect(router.currentRoute.value.query).toMatchObject({ operator: '1' }))
    shortcuts.press(pressKey('j'))
    await vi.waitFor(() => expect(router.currentRoute.value.query).toMatchObject({ operator: '2' }))
    shortcuts.press(pressKey('Escape'))
    await vi.waitFor(() => expect(router.currentRoute.value.query).not.toHaveProperty('operator'))
    shortcuts.press(pressKey('w'))
    await vi.waitFor(() => expect(router.currentRoute.value.query).toMatchObject({ time: 'whole' }))
  })

  it('shows the last seconds of a running training and all of another', async () => {
    await open()
    const asked = () => server.asked.filter(({ path }) => path.startsWith('/api/pipelines/show')).at(-1)?.path
    expect(asked()).toContain('run=1&span=recent')
    await open(`/pipeline?run=${wireRun(2).id.slice(0, 12)}`)
    expect(asked()).toContain('run=2&span=whole')
  })

  it('follows the records of the run', async () => {
    await open()
    expect(page.text()).toContain('is the bottleneck')
    server.answers['/api/pipelines/show'] = pipeline({ waiting: 0.02, data_bound: false, finding: null })
    server.answers['/api/runs'] = { count: 1, results: [wireRun(1, { state: 'running', bytes_read: 5_000_900 })] }
    await useRuns().load()
    await vi.waitFor(() => expect(page.get('.training').text()).toContain('waits 2 %'), { timeout: 5000 })
    expect(page.text()).not.toContain('is the bottleneck')
  })

  it('names samples that were left out', async () => {
    server.answers['/api/pipelines/show'] = pipeline({
      skipped: { mode: 'skip', count: 12, messages: ['a.jpg is cut'] },
    })
    await open()
    const card = page.get('[aria-label="Samples with errors"]').text()
    expect(card).toContain('12 samples with errors were left out')
    expect(card).toContain('a.jpg is cut')
    expect(card).toContain('and 11 more')
  })

  it('shows the queues of a file of MindSpore without rates', async () => {
    server.answers['/api/pipelines'] = { pipelines: [] }
    server.answers['/api/pipelines/files'] = { pipelines: [summary(2, 'run_2/pipeline_profiling_0.json')] }
    const silent = { rows: null, rate: null, busy: null, row_seconds: null, processor: null, threads: 0 }
    server.answers['/api/pipelines/show'] = pipeline({
      file: 'run_2/pipeline_profiling_0.json',
      operators: [operator(0, 'TFReader', [], { ...silent, where: '', queue }), operator(1, 'Batch', [0], silent)],
      history: { seconds: [1, 2], operators: [0, 1].map(() => ({ rate: null, fill: [0.5, 1] })), fill: [0, 1] },
      waiting: null,
      data_bound: false,
      finding: { ...finding, operator: 0, reason: 'reading', operation: '', busy: null, input_full: null, gain: null },
    })
    await open()
    expect(page.get('[aria-label="Bottleneck"]').text()).toContain('It reads the rows.')
    expect(page.text()).not.toContain('/s')
    expect(page.text()).not.toContain('Waiting for data')
  })

  it('leads to the graph of the arguments', async () => {
    await open()
    expect(page.get('.toolbar a').attributes('href')).toContain('graph=dataset:run_1')
  })

  it('speaks Chinese', async () => {
    await open('/pipeline', 'zh-CN')
    expect(page.text()).toContain('是瓶颈')
    expect(page.text()).toContain('请设置 num_parallel_workers=4。')
  })
})

describe('without a pipeline', () => {
  it('says how to record one', async () => {
    server.answers['/api/pipelines'] = { pipelines: [] }
    await open()
    expect(page.text()).toContain('No run has recorded its data pipeline')
    expect(page.text()).toContain('SummaryCollector')
  })

  it('leads away from a run that has none', async () => {
    await open('/pipeline?run=ffffffff')
    expect(page.text()).toContain('This run has no data pipeline')
  })

  it('says what went wrong and tries again', async () => {
    server.answers['/api/pipelines/show'] = refusal(404, 'record_damaged', 'no')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The data pipeline cannot be shown')
    server.answers['/api/pipelines/show'] = pipeline()
    await page.get('[role=alert] button').trigger('click')
    await flushPromises()
    await flushPromises()
    expect(node('Map')).toBeDefined()
  })
})
