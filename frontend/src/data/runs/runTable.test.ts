import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { effectScope, reactive } from 'vue'

import { fakeServer, orderOf, wireRun, type FakeServer } from '../../testing/fakeServer'
import { useRuns } from './runs'
import { useRunTable, type RunTable, type TableQuestion } from './runTable'

interface Opened {
  server: FakeServer
  table: RunTable
  question: TableQuestion
}

beforeEach(() => setActivePinia(createPinia()))

async function open(changes: Partial<TableQuestion> = {}): Promise<Opened> {
  const runs = [wireRun(1), wireRun(2)]
  const server = fakeServer(runs)
  const question = reactive<TableQuestion>({
    query: '',
    sort: '',
    by: [],
    columns: ['lr', 'last(loss)'],
    shelf: 'active',
    ...changes,
  })
  await useRuns().load()
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const table = scope.run(() => useRunTable(() => ({ ...question })))
  if (!table) throw new Error('The scope is over.')
  await flushPromises()
  return { server, table, question }
}
const asked = (server: FakeServer, path: string): URLSearchParams[] =>
  server.asked
    .filter((one) => one.path.startsWith(`${path}?`))
    .map((one) => new URLSearchParams(one.path.split('?')[1]))

describe('useRunTable', () => {
  it('asks for the order with pinned runs first', async () => {
    const { server, table } = await open({ sort: '-max(acc)', query: 'lr < 1' })
    expect(Object.fromEntries(asked(server, '/api/runs/order')[0])).toEqual({
      query: 'lr < 1',
      sort: '-pinned,-max(acc)',
      shelf: 'active',
      by: '',
      columns: '',
    })
    expect(table.order.value?.runs).toEqual([1, 2])
  })

  it('keeps the rows while a query is not understood, and says what is wrong', async () => {
    const { server, table, question } = await open()
    server.answers['/api/runs/order'] = Response.json(
      { code: 'bad_query', message: '', detail: { parameter: 'query', position: 4 } },
      { status: 400 },
    )
    question.query = 'lr <'
    await vi.waitFor(() => expect(table.problem.value?.code).toBe('bad_query'))
    expect(table.order.value?.runs).toEqual([1, 2])
    server.answers['/api/runs/order'] = orderOf([wireRun(2)])
    question.query = 'lr < 1'
    await vi.waitFor(() => expect(table.order.value?.runs).toEqual([2]))
    expect(table.problem.value).toBeNull()
  })

  it('reads words for what is no number, in values and in statistics', async () => {
    const { server, table, question } = await open()
    server.answers['/api/runs/values'] = {
      columns: [
        { title: 'lr', better: null },
        { title: 'last(loss)', better: 'min' },
      ],
      values: { 1: [0.1, 'NaN'] },
    }
    table.want([1, 2])
    await vi.waitFor(() => expect(table.valuesOf(1)).toEqual([0.1, NaN]))
    expect([table.betterOf('lr'), table.betterOf('last(loss)')]).toEqual([null, 'min'])
    const statistics = { n: 1, mean: 1, std: null, min: 1, max: 1, best: 'Infinity' }
    server.answers['/api/runs/order'] = {
      ...orderOf([wireRun(1)]),
      groups: [{ level: 0, key: 'NaN', first: 0, count: 1, columns: { lr: statistics } }],
    }
    question.by = ['loss']
    await vi.waitFor(() =>
      expect(table.order.value?.groups[0]).toMatchObject({
        key: NaN,
        columns: { lr: { best: Infinity, same: undefined } },
      }),
    )
  })

  it('asks once for rows that come one after the other, and anew for other columns', async () => {
    const { server, table, question } = await open()
    server.answers['/api/runs/values'] = { columns: [], values: { 1: [1, 2], 2: [3, 4] } }
    table.want([1])
    table.want([1, 2])
    await vi.waitFor(() => expect(table.valuesOf(2)).toEqual([3, 4]))
    expect(asked(server, '/api/runs/values').map((query) => query.get('runs'))).toEqual(['1,2'])
    question.columns = ['seed']
    await vi.waitFor(() => expect(asked(server, '/api/runs/values').at(-1)?.get('columns')).toBe('seed'))
  })

  it('asks again when a person changes marks, not when points arrive', async () => {
    const { server } = await open()
    const runs = useRuns()
    const before = asked(server, '/api/runs/order').length
    const row = runs.byNumber.get(1)
    if (row) runs.byNumber.set(1, { ...row, lastWall: 1e9 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(asked(server, '/api/runs/order')).toHaveLength(before)
    runs.putMarks({
      [wireRun(1).id]: {
        version: 1,
        tags: [],
        colour: null,
        note: '',
        pinned: true,
        archived: false,
        icon: 0,
        hidden: false,
        baseline: false,
        display_name: '',
        changed: 1,
      },
    })
    await vi.waitFor(() => expect(asked(server, '/api/runs/order').length).toBe(before + 1))
  })

  const values = '/api/runs/values'
  const refused = (code: string): Response => Response.json({ code, message: '', detail: {} }, { status: 400 })

  it('tells statistics as numbers, null where there are none, and the value that all have', async () => {
    const { server, table, question } = await open({ by: ['lr', 'seed'] })
    expect(asked(server, '/api/runs/order')[0].get('by')).toBe('lr,seed')
    expect(asked(server, '/api/runs/order')[0].get('columns')).toBe('lr,last(loss)')
    const statistics = { n: 2, mean: null, min: 1, max: 'NaN', best: 2 }
    const group = { level: 0, key: 'a', first: 0, count: 2, columns: { lr: { ...statistics, same: 'Infinity' } } }
    server.answers['/api/runs/order'] = { ...orderOf([wireRun(1)]), groups: [group] }
    question.query = 'lr > 0'
    await vi.waitFor(() => expect(table.order.value?.groups.length).toBe(1))
    expect(table.order.value?.groups[0]).toEqual({
      ...group,
      columns: { lr: { n: 2, mean: null, std: null, min: 1, max: NaN, best: 2, same: Infinity } },
    })
  })

  it('is busy while it asks, and asks again where somebody wants it', async () => {
    const { server, table } = await open()
    expect(table.busy.value).toBe(false)
    const before = asked(server, '/api/runs/order').length
    let answer: (response: Response) => void = () => undefined
    server.answers['/api/runs/order'] = new Promise<Response>((resolve) => (answer = resolve))
    table.again()
    table.again()
    await vi.waitFor(() => expect(table.busy.value).toBe(true))
    answer(Response.json(orderOf([wireRun(2)])))
    await vi.waitFor(() => expect(table.busy.value).toBe(false))
    expect(table.order.value?.runs).toEqual([2])
    expect(asked(server, '/api/runs/order').length).toBe(before + 1)
  })

  it('shows the newest order that was asked for, whichever comes first', async () => {
    const { server, table } = await open()
    let late: (response: Response) => void = () => undefined
    const before = asked(server, '/api/runs/order').length
    server.answers['/api/runs/order'] = new Promise<Response>((resolve) => (late = resolve))
    table.again()
    await vi.waitFor(() => expect(asked(server, '/api/runs/order').length).toBe(before + 1))
    server.answers['/api/runs/order'] = orderOf([wireRun(2)])
    table.again()
    await vi.waitFor(() => expect(table.order.value?.runs).toEqual([2]))
    late(refused('bad_query'))
    await flushPromises()
    expect([table.order.value?.runs, table.problem.value]).toEqual([[2], null])
    server.answers['/api/runs/order'] = new Promise<Response>((resolve) => (late = resolve))
    table.again()
    await vi.waitFor(() => expect(asked(server, '/api/runs/order').length).toBe(before + 3))
    server.answers['/api/runs/order'] = orderOf([wireRun(1)])
    table.again()
    await vi.waitFor(() => expect(table.order.value?.runs).toEqual([1]))
    late(Response.json(orderOf([wireRun(2)])))
    await flushPromises()
    expect(table.order.value?.runs).toEqual([1])
  })

  it('asks nothing new where the same question is put again', async () => {
    const { server, question } = await open({ sort: 'lr' })
    const before = server.asked.length
    question.columns = [...question.columns]
    question.by = []
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(server.asked.length).toBe(before)
  })

  it.each([
    ['values', Response.json({ columns: [{ title: 'lr', better: 'max' }], values: { 1: [7, 8] } })],
    ['a refusal', Response.json({ code: 'bad_query', message: '', detail: {} }, { status: 400 })],
  ])('leaves %s that come when other columns are shown', async (_what, answer) => {
    const { server, table, question } = await open()
    let late: (response: Response) => void = () => undefined
    server.answers[values] = new Promise<Response>((resolve) => (late = resolve))
    table.want([1])
    await vi.waitFor(() => expect(asked(server, values).length).toBe(1))
    server.answers[values] = { columns: [], values: {} }
    question.columns = ['seed']
    await vi.waitFor(() => expect(asked(server, values).length).toBe(2))
    late(answer)
    await flushPromises()
    expect([table.valuesOf(1), table.betterOf('lr'), table.problem.value]).toEqual([undefined, null, null])
  })

  it.each([
    ['bad_query', 'bad_query'],
    ['unreachable', undefined],
  ])('that gets %s instead of values tells %s', async (code, told) => {
    const { server, table } = await open()
    server.answers[values] = refused(code)
    table.want([1])
    await vi.waitFor(() => expect(asked(server, values).length).toBe(1))
    await flushPromises()
    expect(table.problem.value?.code).toBe(told)
    // They are requested again when needed again.
    table.want([1])
    await vi.waitFor(() => expect(asked(server, values).length).toBe(2))
  })

  it('asks only for the values that it lacks, and for none without columns', async () => {
    const { server, table, question } = await open()
    server.answers[values] = { columns: [], values: { 1: [true, null], 2: ['a', 3] } }
    table.want([1])
    await vi.waitFor(() => expect(table.valuesOf(1)).toEqual([true, null]))
    table.want([1, 2, 3])
    await vi.waitFor(() => expect(asked(server, values).length).toBe(2))
    expect(asked(server, values).map((query) => [query.get('runs'), query.get('columns')])).toEqual([
      ['1', 'lr,last(loss)'],
      // The values of the first answer are known.
      ['3', 'lr,last(loss)'],
    ])
    expect(table.betterOf('lr')).toBeNull()
    question.columns = []
    await flushPromises()
    expect([table.valuesOf(1), asked(server, values).length]).toEqual([undefined, 2])
  })

  it('gives all values of many runs in parts', async () => {
    const { server, table } = await open()
    const many = Array.from({ length: 401 }, (_, at) => at + 1)
    server.answers[values] = { columns: [{ title: 'lr', better: null }], values: { 7: ['-Infinity'] } }
    expect(await table.all(many, ['lr'])).toEqual(new Map([[7, [-Infinity]]]))
    expect(asked(server, values).map((query) => query.get('runs')?.split(',').length)).toEqual([200, 200, 1])
    expect(await table.all(many, [])).toEqual(new Map())
    expect(asked(server, values).length).toBe(3)
  })

  it('follows the values of growing runs in view once a second, while somebody sees the page', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, table } = await open()
    const runs = useRuns()
    const grow = (number: number, lastWall: number): void => {
      const row = runs.byNumber.get(number)
      if (row) runs.byNumber.set(number, { ...row, lastWall })
    }
    const second = async (): Promise<number> => {
      vi.advanceTimersByTime(1000)
      await flushPromises()
      return asked(server, values).length
    }
    server.answers[values] = { columns: [], values: { 1: [1, 2], 2: [3, 4] } }
    table.want([1, 2])
    await vi.waitFor(() => expect(table.valuesOf(2)).toEqual([3, 4]))
    expect([await second(), await second()]).toEqual([1, 1])
    grow(2, 1e9)
    expect([await second(), await second()]).toEqual([2, 2])
    expect(asked(server, values)[1].get('runs')).toBe('2')
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    grow(2, 2e9)
    expect(await second()).toBe(2)
  })
})
