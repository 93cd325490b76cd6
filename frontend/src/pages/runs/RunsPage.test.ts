import { flushPromises, type DOMWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { shortcuts } from '../../scaffold/shortcuts'
import { useConnection } from '../../data/live/connection'
import { useRuns } from '../../data/runs/runs'
import type { WireRun } from '../../data/rows'
import { fakeServer, orderOf, refusal, STATUS, wireRun, type FakeServer } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage, pressKey, type Mounted } from '../../testing/mountPage'

const CRASHED: Partial<WireRun> = {
  state: 'crashed',
  state_detail: { host: 'gpu7', pid: 4711 },
  damage: {
    count: 2,
    file: 'events.out.17',
    offset: 13_702_144,
    reason: 'payload_crc',
    message: 'The checksum does not fit.',
    code: 'payload_crc',
    detail: { skipped: 2048, next: 13_704_192 },
  },
}

beforeEach(() => giveElementsSize())

async function open(
  runs: WireRun[],
  address = '/runs',
  language = 'en',
  order: object = orderOf(runs),
): Promise<Mounted & { server: FakeServer }> {
  const server = fakeServer(runs)
  server.answers['/api/runs/order'] = order
  const mounted = await mountPage(null, address, language)
  await useRuns().load()
  await flushPromises()
  return { ...mounted, server }
}
/** The parameters of each request to a path, in order. */
const asked = ({ server }: { server: FakeServer }, path: string): URLSearchParams[] =>
  server.asked
    .filter((one) => one.path.split('?')[0] === path)
    .map((one) => new URLSearchParams(one.path.split('?')[1]))
/** Panels are separate chunks. */
const inspector = ({ wrapper }: Pick<Mounted, 'wrapper'>): Promise<Pick<DOMWrapper<Element>, 'text'>> =>
  vi.waitFor(() => wrapper.get('aside.insp'))
const names = ({ wrapper }: Mounted): string[] => wrapper.findAll('td.c-name').map((cell) => cell.text())

describe('the states of the runs page', () => {
  it('shows that it loads only after 150 ms', async () => {
    await import('./RunsPage.vue')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    fakeServer().answers['/api/runs'] = new Promise<Response>(() => undefined)
    const mounting = mountPage(null)
    await vi.advanceTimersByTimeAsync(100)
    const { wrapper } = await mounting
    expect(wrapper.find('[aria-busy]').exists()).toBe(true)
    expect(wrapper.findAll('.sk')).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(151)
    expect(wrapper.findAll('.sk').length).toBeGreaterThan(0)
  })

  it('says what failed and tries again', async () => {
    const server = fakeServer([wireRun(1)])
    const good = server.answers['/api/runs']
    server.answers['/api/runs'] = refusal(500, 'database_locked', 'The database is locked.')
    const { wrapper } = await mountPage(null)
    await useRuns().load()
    await flushPromises()
    expect(wrapper.get('[role="alert"]').text()).toContain('database_locked')
    server.answers['/api/runs'] = good
    await wrapper
      .findAll('button')
      .find((button) => button.text() === 'Try again')
      ?.trigger('click')
    await flushPromises()
    expect(wrapper.find('[role="grid"]').exists()).toBe(true)
  })

  it.each([
    ['PyTorch', 'from torch.utils.tensorboard import SummaryWriter'],
    ['TensorFlow/Keras', 'tf.keras.callbacks.TensorBoard("/home/me/summaries/first_run")'],
    ['Any Python', 'from summaries import SummaryWriter'],
    ['Existing files', 'mindinsight start --summary-base-dir'],
  ])('has code for a first run with %s', async (way, code) => {
    const { wrapper } = await open([])
    const { useStatus } = await import('../../data/status')
    await useStatus().refresh()
    await flushPromises()
    const choice = () => wrapper.findAll('[role="radio"]').find((one) => one.text() === way)
    await vi.waitFor(() => expect(choice()).toBeDefined())
    await choice()?.trigger('click')
    expect(wrapper.get('pre').text()).toContain(code)
  })

  it('leads to a first run where there is none, with the watched directory in the code', async () => {
    const { wrapper } = await open([])
    const { useStatus } = await import('../../data/status')
    await useStatus().refresh()
    await flushPromises()
    await vi.waitFor(() => expect(wrapper.get('h1:not(.unseen)').text()).toBe('No runs yet'))
    expect(wrapper.get('pre').text()).toContain('SummaryCollector("/home/me/summaries/first_run")')
    await wrapper.findAll('[role="radio"]')[3].trigger('click')
    expect(wrapper.get('pre').text()).toContain('writer.add_scalar("loss", loss, step)')
    await wrapper.findAll('[role="radio"]')[4].trigger('click')
    expect(wrapper.get('pre').text()).toContain('mindinsight start --summary-base-dir')
    expect(wrapper.get('.watch').text()).toContain('checked 2 sec. ago')
  })

  it('does not say that nothing matches what it does not understand', async () => {
    const mounted = await open([wireRun(1)], '/runs?q=nothing', 'en', { ...orderOf([]), of: 1 })
    expect(mounted.wrapper.text()).toContain('No run matches “nothing”')
    mounted.server.answers['/api/runs/order'] = Response.json(
      {
        code: 'bad_query',
        message: 'no',
        detail: {
          parameter: 'query',
          position: 5,
          length: 1,
          expected: 'a number',
          expected_code: 'number',
          expected_values: {},
        },
      },
      { status: 400 },
    )
    await mounted.router.push('/runs?q=lr <')
    await vi.waitFor(() => expect(mounted.wrapper.text()).toContain('The query is invalid'))
    expect(mounted.wrapper.text()).not.toContain('No run matches')
  })

  it('says that the directory cannot be read', async () => {
    const server = fakeServer([])
    server.answers['/api/status'] = { ...STATUS, readable: false }
    const { wrapper } = await mountPage(null)
    const { useStatus } = await import('../../data/status')
    await Promise.all([useRuns().load(), useStatus().refresh()])
    await flushPromises()
    await vi.waitFor(() => expect(wrapper.get('[role="alert"]').text()).toContain('/home/me/summaries cannot be read'))
  })

  it('draws a new run without a reload', async () => {
    const mounted = await open([])
    useConnection()
    const socket = mounted.server.socket()
    socket.open()
    mounted.server.answers['/api/runs/order'] = orderOf([wireRun(1)])
    socket.message({ type: 'runs', complete: true, runs: [wireRun(1)], removed: [], series: [] })
    await vi.waitFor(() => expect(names(mounted)).toEqual(['run_1']))
  })

  it('names the way back where nothing matches', async () => {
    const mounted = await open([wireRun(1)], '/runs?q=lss', 'en', { ...orderOf([]), of: 1 })
    expect(mounted.wrapper.text()).toContain('No run matches “lss”')
    mounted.server.answers['/api/runs/order'] = orderOf([wireRun(1)])
    await mounted.wrapper
      .findAll('button')
      .find((button) => button.text() === 'Clear the search')
      ?.trigger('click')
    await vi.waitFor(() => expect(names(mounted)).toEqual(['run_1']))
    expect(asked(mounted, '/api/runs/order').map((query) => query.get('query'))).toEqual(['lss', ''])
  })

  it('speaks Chinese', async () => {
    const { wrapper } = await open([wireRun(1)], '/runs', 'zh-CN')
    expect(wrapper.get('thead').text()).toContain('迭代步')
  })
})

describe('the table of runs', () => {
  it('counts rows for who listens and draws what is in view', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => wireRun(index + 1))
    const { wrapper } = await open(many)
    expect(wrapper.get('[role="grid"]').attributes('aria-rowcount')).toBe('10001')
    expect(wrapper.findAll('tr[aria-rowindex]').length).toSatisfy((drawn: number) => drawn > 20 && drawn < 60)
  })

  it('marks what is no number by a sign', async () => {
    const { wrapper } = await open([wireRun(1, { lead_tag: { series: 10, name: 'loss', last_value: 'NaN' } })])
    expect(wrapper.get('td.c-last').text()).toBe('✕ NaN')
  })

  it('tells how far reading has come', async () => {
    const reading = { events_per_second: 120_000, seconds_left: 4.2 }
    const { wrapper } = await open([wireRun(1, { bytes: 130_000_000, bytes_read: 41_000_000, reading })])
    await vi.waitFor(() =>
      expect(wrapper.get('td.c-name').text()).toContain('31 % of 130 MB read, 120k events/s, 5 s left'),
    )
    expect(wrapper.findAll('[role="progressbar"]').map((bar) => bar.attributes('aria-label'))).toEqual([
      'Reading runs',
      'Reading run_1',
    ])
    expect(wrapper.get('.foot').text()).toContain('Reading 1 run: 31 %, about 5 s left')
  })

  it('sorts by a head, says so, and keeps it in the address', async () => {
    const mounted = await open([wireRun(1), wireRun(2), wireRun(3)])
    expect(names(mounted)).toEqual(['run_1', 'run_2', 'run_3'])
    mounted.server.answers['/api/runs/order'] = orderOf([wireRun(3), wireRun(2), wireRun(1)])
    await mounted.wrapper.get('th.c-points button').trigger('click')
    await vi.waitFor(() => expect(names(mounted)).toEqual(['run_3', 'run_2', 'run_1']))
    expect(asked(mounted, '/api/runs/order').at(-1)?.get('sort')).toBe('-pinned,-points')
    expect(mounted.wrapper.get('th.c-points').attributes('aria-sort')).toBe('descending')
    await vi.waitFor(() => expect(mounted.router.currentRoute.value.query).toEqual({ sort: '-points' }))
  })

  it('hides a run from charts by its swatch', async () => {
    const { wrapper } = await open([wireRun(1)])
    const eye = wrapper.get('button.eye')
    expect(eye.attributes('aria-pressed')).toBe('true')
    await eye.trigger('click')
    expect(wrapper.get('button.eye').attributes('aria-pressed')).toBe('false')
    expect(wrapper.find('aside.insp').exists()).toBe(false)
  })

  it('answers to the keys of the registry', async () => {
    const { wrapper } = await open([wireRun(1), wireRun(2)])
    const press = async (key: string): Promise<void> => {
      shortcuts.press(pressKey(key))
      await flushPromises()
    }
    await press('j')
    await press('j')
    await press(' ')
    expect(useRuns().isVisible(2)).toBe(false)
    await press('Enter')
    await vi.waitFor(() => expect(wrapper.get('aside.insp h2').text()).toBe('run_2'))
    await press('k')
    await vi.waitFor(() => expect(wrapper.get('aside.insp h2').text()).toBe('run_1'))
    await press('o')
    expect([...useRuns().visible]).toEqual([1])
    await press('Escape')
    expect(wrapper.find('aside.insp').exists()).toBe(false)
  })

  it('answers to arrow keys where it has the focus, with shortcuts off too', async () => {
    const { wrapper } = await open([wireRun(1), wireRun(2)])
    const grid = wrapper.get('[role="grid"]')
    await grid.trigger('keydown', { key: 'ArrowDown' })
    await grid.trigger('keydown', { key: 'End' })
    expect(grid.attributes('aria-activedescendant')).toBe('run-2')
    await grid.trigger('keydown', { key: 'Enter' })
    await vi.waitFor(() => expect(wrapper.get('aside.insp h2').text()).toBe('run_2'))
  })
})

describe('the inspector', () => {
  it('opens from the address and explains a crash and damage in words', async () => {
    const run = wireRun(7, CRASHED)
    const { wrapper } = await open([wireRun(1), run], `/runs?run=${run.id.slice(0, 8)}`)
    const text = (await inspector({ wrapper })).text()
    expect(text).toContain('process 4711 on gpu7 is gone')
    expect(text).toContain('2 places of its files cannot be read')
    expect(text).toContain(
      'The record at byte 13,702,144 fails its checksum. ' +
        '2,048 bytes were skipped; the next sound record is at byte 13,704,192.',
    )
  })

  it('leads to the scalars of this run only', async () => {
    const { wrapper } = await open([wireRun(1), wireRun(2)])
    await wrapper.get('tr[aria-rowindex="3"]').trigger('click')
    await inspector({ wrapper })
    expect(wrapper.get('a.open').attributes('href')).toMatch(/^\/scalars\?runs=[0-9a-f]{4,}$/)
  })

  it('lists the segments of a run that restarted, the newest first', async () => {
    const segments = [
      { number: 0, first_step: 0, last_step: 1000, first_wall: 1_795_220_000 },
      { number: 1, first_step: 501, last_step: 700, first_wall: 1_795_224_000 },
    ]
    const { wrapper } = await open([wireRun(1, { segments })])
    await wrapper.get('tr[aria-rowindex="2"]').trigger('click')
    expect((await inspector({ wrapper })).text()).toContain('Segments restarted once, newest first')
    const lines = wrapper.findAll('aside.insp ol li').map((line) => line.text())
    expect(lines[0]).toContain('steps 501 – 700')
    expect(lines[1]).toContain('steps 0 – 1,000')
  })

  it('says nothing of segments where the run never restarted', async () => {
    const { wrapper } = await open([wireRun(1)])
    await wrapper.get('tr[aria-rowindex="2"]').trigger('click')
    expect((await inspector({ wrapper })).text()).not.toContain('Segments')
  })

  it('asks for the values of a hidden run', async () => {
    const server = fakeServer([wireRun(1)], {
      tags: [
        {
          name: 'loss',
          series: [
            {
              run: 1,
              series: 10,
              segment: 0,
              count: 5,
              first_step: 1,
              last_step: 5,
              first_wall: 0,
              last_wall: 1,
              last_value: 0.25,
              min: 0.2,
              max: 2,
              not_finite: 0,
            },
          ],
        },
      ],
    })
    expect(server.sockets).toHaveLength(0)
    server.answers['/api/runs/order'] = orderOf([wireRun(1)])
    const { wrapper } = await mountPage(null, '/runs?runs=none')
    const runs = useRuns()
    await runs.load()
    runs.choose([])
    await flushPromises()
    await wrapper.get('tr[aria-rowindex="2"]').trigger('click')
    await flushPromises()
    await vi.waitFor(() => expect(wrapper.get('aside.insp .values').text()).toBe('loss0.2500'))
  })
})
