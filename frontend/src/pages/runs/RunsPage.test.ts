import { flushPromises, type DOMWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { shortcuts } from '../../scaffold/shortcuts'
import { useToasts } from '../../components/feedback/toasts'
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
    await vi.waitFor(() => expect(mounted.wrapper.text()).toContain('No run matches “nothing”'))
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
    await mounted.wrapper.get('th.c-step button').trigger('click')
    await vi.waitFor(() => expect(names(mounted)).toEqual(['run_3', 'run_2', 'run_1']))
    expect(asked(mounted, '/api/runs/order').at(-1)?.get('sort')).toBe('-pinned,-step')
    expect(mounted.wrapper.get('th.c-step').attributes('aria-sort')).toBe('descending')
    await vi.waitFor(() => expect(mounted.router.currentRoute.value.query).toEqual({ sort: '-step' }))
  })

  it('selects by clicks as a file manager does, and by check boxes', async () => {
    const { wrapper } = await open([1, 2, 3, 4].map((number) => wireRun(number)))
    const row = (run: number) => wrapper.get(`tr[aria-rowindex="${run + 1}"]`)
    const selected = (): (string | undefined)[] =>
      wrapper.findAll('tr[aria-selected="true"]').map((one) => one.attributes('id'))
    await row(2).trigger('click')
    expect(selected()).toEqual(['run-2'])
    await vi.waitFor(() => expect(wrapper.get('.bulk').text()).toContain('Select one more run'), 5000)
    await row(3).trigger('click', { ctrlKey: true })
    expect(selected()).toEqual(['run-2', 'run-3'])
    await row(1).trigger('click')
    await row(3).trigger('click', { shiftKey: true })
    expect(selected()).toEqual(['run-1', 'run-2', 'run-3'])
    await row(4).get('input[type="checkbox"]').trigger('click')
    await row(1).get('input[type="checkbox"]').trigger('click')
    expect(selected()).toEqual(['run-2', 'run-3', 'run-4'])
    expect(row(4).get<HTMLInputElement>('input').element.checked).toBe(true)
  })

  it('has the columns that tell the runs apart, and bars where the steps are planned', async () => {
    const runs = [wireRun(1), wireRun(2)]
    const server = fakeServer(runs)
    server.answers['/api/runs/order'] = orderOf(runs)
    server.answers['/api/runs/telling'] = { score: 'max(accuracy)', parameters: ['param:lr'] }
    server.answers['/api/runs/values'] = { columns: [], values: { 1: [400], 2: [] } }
    const { wrapper } = await mountPage(null, '/runs')
    await useRuns().load()
    await vi.waitFor(() =>
      expect(wrapper.findAll('thead .head').map((head) => head.attributes('title'))).toEqual([
        'Name',
        'loss last',
        'loss trend',
        'accuracy max',
        'lr',
        'Step',
        'Duration',
        'Updated',
      ]),
    )
    await vi.waitFor(() =>
      expect(wrapper.findAll('svg.bar title').map((one) => one.text())).toEqual(['25% of 400 planned steps']),
    )
  })

  it('folds groups that are longer than a screen, with means over their runs', async () => {
    const runs = Array.from({ length: 40 }, (_, at) => wireRun(at + 1))
    const group = { level: 0, key: 'adam', first: 0, count: 40, columns: {} }
    const { wrapper } = await open(runs, '/runs?group=opt', 'en', { ...orderOf(runs), groups: [group] })
    await vi.waitFor(() => expect(wrapper.get('tr.group').attributes('aria-expanded')).toBe('false'))
    expect(wrapper.findAll('tr[aria-rowindex]')).toHaveLength(2)
    await vi.waitFor(() => expect(wrapper.get('tr.group').text()).toContain('±1,169n 40'), 5000)
    await wrapper.get('tr.group').trigger('click')
    expect(wrapper.findAll('tr[aria-rowindex]').length).toBeGreaterThan(10)
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
    expect(text).toContain('process 4711 on gpu7 no longer exists')
    expect(text).toContain('2 places of its files cannot be read')
    expect(text).toContain(
      'The record at byte 13,702,144 fails its checksum. ' +
        '2,048 bytes were skipped; the next valid record is at byte 13,704,192.',
    )
  })

  it('says what the run recorded and no page shows', async () => {
    const run = wireRun(1)
    const { wrapper, server } = await open([run])
    const tags = { scalar: ['loss'], audio: ['a'], pr_curve: ['p', 'q'], other: ['custom_scalars__config__'] }
    server.answers['/api/runs/details'] = {
      runs: [{ number: 1, id: run.id, name: run.name, state: 'finished', segments: [], tags, params: {}, metrics: {} }],
    }
    await wrapper.get('tr[aria-rowindex="2"]').trigger('click')
    await vi.waitFor(() =>
      expect(wrapper.get('aside.insp').text()).toContain(
        'Also recorded, not shown here: 1 audio, 2 PR curves. Open it with TensorBoard.',
      ),
    )
  })

  it('gives the run another name, which can be undone', async () => {
    const { wrapper, server } = await open([wireRun(1)])
    const marks = { version: 1, tags: [], colour: null, note: '', pinned: false, archived: false, icon: 0 }
    const named = { ...marks, hidden: false, baseline: false, display_name: 'my best', changed: 1 }
    server.answers[`/api/runs/${wireRun(1).id}/marks`] = named
    await wrapper.get('tr[aria-rowindex="2"]').trigger('click')
    await inspector({ wrapper })
    await wrapper.get('button[aria-label="Rename the run"]').trigger('click')
    await wrapper.get('aside.insp form input').setValue('my best')
    await wrapper.get('aside.insp form').trigger('submit')
    await vi.waitFor(() => expect(wrapper.get('aside.insp h2').text()).toBe('my best'))
    expect(wrapper.get('td.c-name .name').attributes('title')).toBe('my best\nrun_1')
    const toast = useToasts().toasts.at(-1)
    expect(toast?.text).toBe('Renamed to my best')
    server.answers[`/api/runs/${wireRun(1).id}/marks`] = { ...named, version: 2, display_name: '' }
    toast?.action?.run()
    await vi.waitFor(() => expect(wrapper.get('td.c-name').text()).toBe('run_1'))
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
