import { describe, expect, it } from 'vitest'

import { exportTable } from '../../../components/controls/exportTable'
import { tableOf } from '../testing/tables'
import { exportedRows, listedRows, namedRows, sortedRows } from './rows'

const table = tableOf(5, [
  { name: 'metrics.loss', group: 'metrics', better: 'min', values: [0.5, NaN, 0.1, null, -Infinity] },
  { name: 'params.optimizer', group: 'params', values: ['sgd', 'adam', null, 10, 2] },
])
const column = (name: string) => {
  const found = table.columns.get(name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}
const all = Uint32Array.of(0, 1, 2, 3, 4)

describe('listedRows', () => {
  const passing = Uint8Array.of(1, 0, 1, 0, 0)
  it.each([
    ['passing', [0, 2]],
    ['all', [0, 1, 2, 3]],
    ['selected', [1, 4]],
  ] as const)('lists %s', (which, rows) => {
    expect([...listedRows(table, which, passing, new Set([4]), new Set([2, 5]))]).toEqual(rows)
  })
})

describe('sortedRows', () => {
  it('has NaN and what is not set behind all others either way', () => {
    expect([...sortedRows(all, column('metrics.loss'), false)]).toEqual([4, 2, 0, 1, 3])
    expect([...sortedRows(all, column('metrics.loss'), true)]).toEqual([0, 2, 4, 1, 3])
  })

  it('has numbers before texts in mixed columns', () => {
    expect([...sortedRows(all, column('params.optimizer'), false)]).toEqual([4, 3, 1, 0, 2])
  })

  it('sorts names with numbers in them as people count', () => {
    expect([...namedRows(all, (row) => `run${[10, 9, 1, 2, 20][row]}`, false)]).toEqual([2, 3, 1, 0, 4])
  })
})

it('writes what is listed in full, as other programs read it', () => {
  const exported = exportedRows(Uint32Array.of(2, 0), [...table.columns.values()], (row) => ({
    name: `=run,${row}`,
    icon: row ? 'star' : '',
    note: row ? 'a "b"\nc' : '',
  }))
  expect(exportTable(exported, 'csv')).toBe(
    'name,metrics.loss,params.optimizer,icon,note\r\n"\'=run,2",0.1,,star,"a ""b""\nc"\r\n"\'=run,0",0.5,sgd,,\r\n',
  )
})
