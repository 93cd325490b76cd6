import { describe, expect, it } from 'vitest'

import { brushesParam, joined, rowsPassing, withBrush, type Brush } from './brushes'
import { tableOf } from './testing/tables'

const table = tableOf(5, [
  { name: 'params.lr', group: 'params', values: [0.1, 0.01, null, NaN, Infinity] },
  { name: 'params.optimizer', group: 'params', values: ['adam', 'sgd', null, 'lamb', true] },
])
const brush = (part: Partial<Brush>): Brush => ({ ranges: [], values: [], missing: false, ...part })
const passing = (name: string, part: Partial<Brush>, hidden: number[] = []): number[] => [
  ...rowsPassing(table, new Map([[name, brush(part)]]), new Set(hidden)),
]

describe('rowsPassing', () => {
  it.each([
    [{ ranges: [[0.01, 0.05]] }, [0, 1, 0, 0, 0]],
    [
      {
        ranges: [
          [0.01, 0.01],
          [0.05, 1],
        ],
      },
      [1, 1, 0, 0, 0],
    ],
    [{ ranges: [[0.05, Infinity]] }, [1, 0, 0, 0, 1]],
    [{ ranges: [[NaN, NaN]] }, [0, 0, 0, 1, 0]],
    [{ missing: true }, [0, 0, 1, 0, 0]],
    [{ missing: true, ranges: [[0.1, 0.1]] }, [1, 0, 1, 0, 0]],
  ] as [Partial<Brush>, number[]][])('narrows numbers by %j', (part, expected) => {
    expect(passing('params.lr', part)).toEqual(expected)
  })

  it('narrows categories by their texts, whatever their type', () => {
    expect(passing('params.optimizer', { values: ['adam', 'true'] })).toEqual([1, 0, 0, 0, 1])
    expect(passing('params.optimizer', { missing: true })).toEqual([0, 0, 1, 0, 0])
  })

  it('takes hidden rows out, and all where nobody can have what is asked for', () => {
    expect(passing('params.lr', { ranges: [[0, 1]] }, [0])).toEqual([0, 1, 0, 0, 0])
    expect(passing('params.gone', { values: ['a'] })).toEqual([0, 0, 0, 0, 0])
    expect(passing('params.gone', { missing: true })).toEqual([1, 1, 1, 1, 1])
  })
})

describe('brushes in the address', () => {
  it('come back as they were, with any letters in names and values', () => {
    const brushes = new Map([
      [
        'params.a~b|c!',
        brush({
          ranges: [
            [-1e-7, 0.5],
            [2, Infinity],
            [NaN, NaN],
          ],
          missing: true,
        }),
      ],
      ['last(loss/train)', brush({ values: ['x|y', '~', '!', 'a..b'] })],
    ])
    expect(brushesParam.parse(brushesParam.format(brushes) ?? '')).toEqual(brushes)
  })

  it.each(['', '~', 'lr', 'lr|', 'lr|1..', 'lr|a..b', '|1..2'])('have nothing to say for %j', (text) => {
    expect(brushesParam.parse(text)?.size).toBe(0)
  })

  it('are gone when the last part is taken away', () => {
    const one = withBrush(new Map(), 'lr', brush({ missing: true }))
    expect([one.size, withBrush(one, 'lr', brush({})).size]).toEqual([1, 0])
  })
})

it('joins ranges that touch', () => {
  expect(
    joined([
      [3, 4],
      [0, 1],
      [1, 2],
      [3.5, 3.7],
    ]),
  ).toEqual([
    [0, 2],
    [3, 4],
  ])
})
