import { describe, expect, it } from 'vitest'

import { LINEAR, LOG } from '../scales/scale'
import { findLeaving, findMarks, tracePath, type PathSink, type Projection } from './strokes'

const flat: Projection = { ax: 1, bx: 0, ay: -1, by: 100, x: LINEAR, y: LINEAR }
const log: Projection = { ...flat, y: LOG }
const rows = (values: number[]): [Float64Array, Float64Array] => [
  Float64Array.from(values, (_, row) => row * 10),
  Float64Array.from(values),
]

function trace(values: number[], projection = flat, from = 0, to = values.length): string {
  const parts: string[] = []
  const sink: PathSink = {
    moveTo: (x, y) => parts.push(`M${x} ${y}`),
    lineTo: (x, y) => parts.push(`L${x} ${y}`),
  }
  tracePath(sink, ...rows(values), from, to, projection)
  return parts.join(' ')
}

describe('a curve', () => {
  it('is one line through its points', () => {
    expect(trace([1, 2, 3])).toBe('M0 99 L10 98 L20 97')
  })

  it.each([NaN, Infinity, -Infinity])('has a gap at %f', (odd) => {
    expect(trace([1, 2, odd, 4, 5])).toBe('M0 99 L10 98 M30 96 L40 95')
  })

  it('shows a lonely point as a dot', () => {
    expect(trace([1])).toBe('M0 99 L0.01 99')
    expect(trace([NaN, 2, NaN])).toBe('M10 98 L10.01 98')
  })

  it('has a gap at what has no logarithm', () => {
    expect(trace([100, 0, 10, -5, 1], log)).toBe('M0 98 L0.01 98 M20 99 L20.01 99 M40 100 L40.01 100')
  })

  it('is traced in part', () => {
    expect(trace([1, 2, 3, 4], flat, 1, 3)).toBe('M10 98 L20 97')
  })

  it('draws nothing of nothing', () => {
    expect(trace([])).toBe('')
    expect(trace([NaN, NaN])).toBe('')
  })
})

describe('marks', () => {
  it('stand where values are no numbers', () => {
    expect(findMarks(...rows([1, NaN, Infinity, -Infinity]), 0, 4, flat)).toEqual([
      { px: 10, kind: 'nan' },
      { px: 20, kind: 'plus' },
      { px: 30, kind: 'minus' },
    ])
  })

  it('that would lie on one another are one', () => {
    const near = { ...flat, ax: 0.1 }
    expect(findMarks(...rows(new Array<number>(9).fill(NaN)), 0, 9, near).map((mark) => mark.px)).toEqual([0, 3, 6])
  })
})

it('finds where curves leave the range of values', () => {
  const found = findLeaving(...rows([1, 90, 91, 2, -50, NaN, 95]), 0, 7, flat, { min: 0, max: 10 })
  expect(found).toEqual([
    { px: 10, kind: 'above' },
    { px: 40, kind: 'below' },
    { px: 60, kind: 'above' },
  ])
})

it('interrupts a curve where x has no logarithm', () => {
  const parts: string[] = []
  const sink: PathSink = { moveTo: (x, y) => parts.push(`M${x} ${y}`), lineTo: (x, y) => parts.push(`L${x} ${y}`) }
  tracePath(sink, Float64Array.of(-1, 0, 1, 100), Float64Array.of(1, 2, 3, 4), 0, 4, { ...flat, x: LOG })
  expect(parts.join(' ')).toBe('M0 97 L2 96')
})
