import { describe, expect, it } from 'vitest'

import { axesParam, goodScale, standardAxes, targets, type Axis } from './axes'
import { tableOf, type TestColumn } from './testing/tables'

const column = (values: TestColumn['values']) => {
  const found = tableOf(values.length, [{ name: 'x', group: 'params', values }]).columns.get('x')
  if (!found) throw new Error('The table lost its column.')
  return found
}
const drawn = (from: number, to: number, log: boolean): number[] =>
  Array.from({ length: 50 }, (_, k) => (log ? from * (to / from) ** (k / 49) : from + ((to - from) * k) / 49))

describe('goodScale', () => {
  it.each([
    ['few numbers at equal distances', [0, 0.1, 0.2, 0.3], 'linear'],
    ['few that double', [32, 64, 128, 256], 'log'],
    ['many of one size', drawn(0.5, 0.97, false), 'linear'],
    ['many over decades', drawn(1e-5, 0.1, true), 'log'],
    ['many of one size up to a large one', drawn(1, 1000, false), 'linear'],
    ['some that have no logarithm', [0, ...drawn(1e-5, 0.1, true)], 'linear'],
    ['numbers beside what is none', [NaN, Infinity, 1e-4, 1e-3, 1e-2, null], 'log'],
    ['texts', ['adam', 'sgd', null], 'category'],
    ['one number', [3, 3], 'linear'],
    ['nothing', [NaN, null], 'linear'],
  ] as [string, TestColumn['values'], string][])('is right for %s', (_, values, expected) => {
    expect(goodScale(column(values))).toBe(expected)
  })
})

describe('standardAxes', () => {
  const table = tableOf(3, [
    { name: 'params.same', group: 'params', values: [1, 1, 1] },
    { name: 'params.seldom', group: 'params', values: [null, null, 2] },
    { name: 'params.lr', group: 'params', values: [0.1, 0.01, 0.001] },
    { name: 'params.learning_rate', group: 'params', values: [0.1, 0.01, 0.001] },
    { name: 'metrics.note', group: 'metrics', values: [5, 6, 7] },
    { name: 'metrics.loss', group: 'metrics', better: 'min', values: [3, 2, 1] },
    { name: 'metrics.accuracy', group: 'metrics', better: 'max', values: [0.1, 0.2, 0.3] },
    { name: 'duration', group: 'run', values: [1, 2, 3] },
  ])

  it('begins with parameters in which runs differ and ends with the target, good ends above', () => {
    expect(standardAxes(table, 'metrics.accuracy')).toEqual([
      { name: 'params.lr', scale: 'log', inverted: false },
      { name: 'metrics.loss', scale: 'linear', inverted: true },
      { name: 'metrics.accuracy', scale: 'linear', inverted: false },
    ])
  })

  it('leaves out texts that name each run, unless runs are few', () => {
    const named = (values: string[]): string[] =>
      standardAxes(tableOf(values.length, [{ name: 'params.run', group: 'params', values }]), '').map(
        ({ name }) => name,
      )
    expect([named(['a', 'b', 'c', 'd']), named(['a', 'b', 'c', 'c']), named(['a', 'b'])]).toEqual([
      [],
      ['params.run'],
      ['params.run'],
    ])
  })

  it('aims at what sounds like a result first', () => {
    expect(
      targets(table)
        .map(({ name }) => name)
        .slice(0, 3),
    ).toEqual(['metrics.accuracy', 'metrics.loss', 'metrics.note'])
  })
})

describe('axes in the address', () => {
  it('come back as they were', () => {
    const axes: Axis[] = [
      { name: 'params.a~:b', scale: 'log', inverted: true },
      { name: '-n:x', scale: 'category', inverted: false },
    ]
    expect(axesParam.parse(axesParam.format(axes) ?? '')).toEqual(axes)
  })

  it('are our choice where nothing is understood', () => {
    expect([axesParam.parse(''), axesParam.parse('x:y'), axesParam.format(null)]).toEqual([undefined, undefined, null])
  })
})
