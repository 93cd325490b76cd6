import { describe, expect, it } from 'vitest'

import { decodeTable, isSet, TableError, valueAt } from './table'
import { encodeTable } from './testing/tables'

const buffer = encodeTable(3, [
  { name: 'params.lr', group: 'params', values: [0.1, null, NaN] },
  { name: 'metrics.accuracy', group: 'metrics', better: 'max', values: [0.5, 0.25, Infinity] },
  { name: 'params.optimizer', group: 'params', values: ['adam', null, true] },
])

describe('decodeTable', () => {
  const table = decodeTable(buffer)

  it('has a row for each run and a column for each key', () => {
    expect([table.count, [...table.runs], [...table.columns.keys()]]).toEqual([
      3,
      [1, 2, 3],
      ['params.lr', 'metrics.accuracy', 'params.optimizer'],
    ])
    expect([...table.columns.values()].map(({ kind, group, set, better }) => [kind, group, set, better])).toEqual([
      ['number', 'params', 2, null],
      ['number', 'metrics', 3, 'max'],
      ['category', 'params', 2, null],
    ])
  })

  it('tells not set, NaN and infinity apart and keeps the types of mixed values', () => {
    const rows = [...table.columns.values()].map((column) =>
      [0, 1, 2].map((row) => [isSet(column, row), valueAt(column, row)]),
    )
    expect(rows).toEqual([
      [
        [true, 0.1],
        [false, null],
        [true, NaN],
      ],
      [
        [true, 0.5],
        [true, 0.25],
        [true, Infinity],
      ],
      [
        [true, 'adam'],
        [false, null],
        [true, true],
      ],
    ])
  })

  it.each([[2], [40], [buffer.byteLength - 8]])('refuses an answer of %i bytes', (bytes) => {
    expect(() => decodeTable(buffer.slice(0, bytes))).toThrow(TableError)
  })
})
