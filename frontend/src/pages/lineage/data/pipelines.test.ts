import { describe, expect, it } from 'vitest'

import {
  cellOf,
  columnsOf,
  differences,
  grouped,
  placesOf,
  valueText,
  withRuns,
  type Operation,
  type Pipeline,
  type PipelineColumn,
} from './pipelines'

const operation = (key: string, depth: number, children: number[], said: Record<string, unknown> = {}): Operation => ({
  key,
  op: key,
  depth,
  children,
  arguments: said,
})
const line = (id: string, runs: number[], batch: number, more: Operation[] = []): Pipeline => ({
  id,
  graph: `dataset:${id}`,
  runs,
  line: true,
  operations: [
    ...more,
    operation('Mnist', 1, [], { dir: '/a' }),
    operation('Batch', 0, [more.length], { batch_size: batch }),
  ],
})
const column = (key: string, argument: string | null): PipelineColumn => ({ key, op: key, argument, differs: false })
const COLUMNS = [
  column('Mnist', 'dir'),
  column('Map', null),
  column('Map', 'workers'),
  column('Batch', 'batch_size'),
  column('Batch', 'drop'),
]

describe('differences', () => {
  it('names what differs among those that are compared, and nothing else', () => {
    const [a, b, c] = [line('a', [1], 32), line('b', [2], 64), line('c', [3], 32)]
    expect(differences([a, b, c], COLUMNS)).toEqual([
      {
        column: COLUMNS[3],
        cells: [
          { is: 'value', text: '32' },
          { is: 'value', text: '64' },
        ],
      },
    ])
    expect(differences([a, c], COLUMNS)).toEqual([])
  })
  it('says once that an operation is missing', () => {
    const found = differences(
      [line('a', [1], 32), line('b', [2], 32, [operation('Map', 1, [], { workers: 2 })])],
      COLUMNS,
    )
    expect(found.map(({ column: one }) => [one.key, one.argument])).toEqual([['Map', null]])
  })
  it('tells an argument that is not set from one that is', () => {
    const set = line('a', [1], 32)
    set.operations[1].arguments['drop'] = false
    expect(differences([set, line('b', [2], 32)], COLUMNS).map(({ cells }) => cells)).toEqual([
      [{ is: 'value', text: 'false' }, { is: 'unset' }],
    ])
  })
})

it('leaves out pipelines whose runs are all hidden, and columns that none has', () => {
  const shown = withRuns([line('a', [1], 32), line('b', [2, 3, 4], 64)], (run) => run > 1)
  expect(shown.map(({ id, runs }) => [id, runs])).toEqual([['b', [2, 3, 4]]])
  expect(columnsOf(shown, COLUMNS)).toEqual([COLUMNS[0], COLUMNS[3]])
  expect(grouped(COLUMNS).map(({ key, columns }) => [key, columns.length])).toEqual([
    ['Mnist', 1],
    ['Map', 2],
    ['Batch', 2],
  ])
  expect(cellOf(shown[0], column('Map', 'workers'))).toEqual({ is: 'absent' })
})

it('draws sources one below the other, and what combines them between', () => {
  const zipped = [
    operation('A', 2, []),
    operation('B', 3, []),
    operation('Map', 2, [1]),
    operation('Zip', 1, [0, 2]),
    operation('Batch', 0, [3]),
  ]
  expect(placesOf(zipped)).toEqual([
    { column: 1, row: 0 },
    { column: 0, row: 1 },
    { column: 1, row: 1 },
    { column: 2, row: 0.5 },
    { column: 3, row: 0.5 },
  ])
})

it('writes values as people type them', () => {
  expect([32, true, 'a b', [1, 'x'], { op: 'Decode', to: null }].map(valueText)).toEqual([
    '32',
    'true',
    'a b',
    '[1, "x"]',
    '{"op": "Decode", "to": null}',
  ])
})
