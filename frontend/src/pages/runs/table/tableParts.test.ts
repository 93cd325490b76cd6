import { describe, expect, it } from 'vitest'

import type { RunGroup, RunOrder } from '../../../data/runs/runTable'
import { columnName, columnsParam, groupParam, moved, splitNames } from './columns'
import { metricDifferences, paramDifferences, paramText, type RunDetails } from '../inspector/differences'
import { runsBetween, tableEntries, type Entry } from './entries'
import { exportTable } from '../../../components/controls/exportTable'

const group = (level: number, key: string | null, first: number, count: number): RunGroup => ({
  level,
  key,
  first,
  count,
  columns: {},
})
const order = (groups: RunGroup[]): RunOrder => ({ runs: [5, 6, 7, 8], groups, of: 4, archived: 0, milliseconds: 1 })
const told = (entries: Entry[]): (string | number)[] =>
  entries.map((entry) => (entry.kind === 'run' ? entry.run : entry.path))

describe('tableEntries', () => {
  it('lists runs as they come', () => {
    expect(told(tableEntries(order([]), new Set()))).toEqual([5, 6, 7, 8])
  })

  it('puts runs into the innermost groups', () => {
    const groups = [
      group(0, 'adam', 0, 3),
      group(1, 'a', 0, 1),
      group(1, null, 1, 2),
      group(0, 'sgd', 3, 1),
      group(1, 'a', 3, 1),
    ]
    expect(told(tableEntries(order(groups), new Set()))).toEqual([
      '"adam"',
      '"adam","a"',
      5,
      '"adam",null',
      6,
      7,
      '"sgd"',
      '"sgd","a"',
      8,
    ])
    expect(told(tableEntries(order(groups), new Set(['"adam"'])))).toEqual(['"adam"', '"sgd"', '"sgd","a"', 8])
  })

  it('finds the runs between two rows, whichever comes first', () => {
    const entries = tableEntries(order([group(0, 'x', 0, 2), group(0, 'y', 2, 2)]), new Set())
    expect(runsBetween(entries, 4, 1)).toEqual([5, 6, 7])
  })
})

describe('columns', () => {
  it('keep commas in quotes together', () => {
    expect(splitNames('lr, max("a, b") ,param:"x,y"')).toEqual(['lr', 'max("a, b")', 'param:"x,y"'])
  })

  it('travel in the address; what is not built in and begins with @ is left out', () => {
    expect(columnsParam.parse('@step,@nothing,lr,lr')).toEqual(['@step', 'lr'])
    expect(columnsParam.format(['@step', 'max(acc)'])).toBe('@step,max(acc)')
    expect(groupParam.parse('a,b,c,d,e')).toHaveLength(4)
  })

  it.each([
    ['max(accuracy/val)', { figure: 'max', name: 'accuracy/val' }],
    ['last("my loss")', { figure: 'last', name: 'my loss' }],
    ['param:"lr decay"', { figure: null, name: 'lr decay' }],
    ['lr', { figure: null, name: 'lr' }],
  ])('are called by their names: %s', (key, expected) => {
    expect(columnName(key)).toEqual(expected)
  })

  it('move no further than the ends', () => {
    expect(moved(['a', 'b', 'c'], 2, 9)).toEqual(['a', 'b', 'c'])
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  })
})

describe('exportTable', () => {
  const table = {
    titles: ['name', 'a|b', 'loss'],
    rows: [
      ['x,"y"', 'α_1 & 50%', 0.1],
      ['=1+1', null, NaN],
    ],
  }

  it('writes CSV that spreadsheets do not calculate', () => {
    expect(exportTable(table, 'csv')).toBe('name,a|b,loss\r\n"x,""y""",α_1 & 50%,0.1\r\n\'=1+1,,NaN\r\n')
  })
  it('writes JSON with words for what is no number', () => {
    expect(JSON.parse(exportTable(table, 'json'))).toEqual([
      { name: 'x,"y"', 'a|b': 'α_1 & 50%', loss: 0.1 },
      { name: '=1+1', 'a|b': null, loss: 'NaN' },
    ])
  })
  it('writes Markdown', () => {
    expect(exportTable(table, 'markdown').split('\n').slice(0, 3)).toEqual([
      '| name | a\\|b | loss |',
      '| --- | --- | ---: |',
      '| x,"y" | α\\_1 & 50% | 0.1 |',
    ])
  })
  it('writes LaTeX', () => {
    const text = exportTable(table, 'latex')
    expect(text).toContain('\\begin{tabular}{llr}')
    expect(text).toContain('x,"y" & α\\_1 \\& 50\\% & 0.1 \\\\')
  })
})

describe('differences', () => {
  const run = (params: RunDetails['params'], metrics: RunDetails['metrics']): RunDetails => ({
    number: 1,
    id: '',
    name: '',
    state: 'finished',
    segments: [],
    tags: {},
    params,
    metrics,
  })

  it('come first, each part in order of name', () => {
    const rows = paramDifferences([run({ b: 1, a: 1, c: [1] }, {}), run({ b: 2, a: 1, c: [1], d: 'x' }, {})])
    expect(rows.map((row) => [row.name, row.differs])).toEqual([
      ['b', true],
      ['d', true],
      ['a', false],
      ['c', false],
    ])
    expect(rows[1].values.map(paramText)).toEqual(['–', 'x'])
  })

  it('are numbers where results are', () => {
    const [row] = metricDifferences([run({}, { loss: 0.5 }), run({}, { loss: 'NaN' }), run({}, {})])
    expect(row.values).toEqual([0.5, NaN, NaN])
  })
})
