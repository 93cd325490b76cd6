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
        changed: 1,
      },
    })
    await vi.waitFor(() => expect(asked(server, '/api/runs/order').length).toBe(before + 1))
  })
})
