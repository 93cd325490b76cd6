import { describe, expect, it } from 'vitest'

import { Columns } from './columns'
import { decodeFrames, type Frame } from '../frames'
import { encodeFrame, type FrameInput } from '../testing/frames'

const frame = (input: FrameInput): Frame => decodeFrames(encodeFrame(input))[0]
const values = (columns: Columns): number[] => [...columns.value.subarray(0, columns.length)]

describe('Columns', () => {
  it('grows by live points behind a view', () => {
    const columns = new Columns()
    columns.replace(frame({ value: [1, 2] }), 100)
    expect(columns.append(frame({ first: 2, value: [3] }))).toBe(1)
    expect(values(columns)).toEqual([1, 2, 3])
    expect(columns).toMatchObject({ end: 3, viewRows: 2, appended: 1, complete: true })
  })

  it('keeps every value through thousands of small appends', () => {
    const columns = new Columns()
    for (let first = 0; first < 3000; first++) columns.append(frame({ first, value: [first] }))
    expect(columns.length).toBe(3000)
    expect(values(columns).every((value, row) => value === row)).toBe(true)
  })

  it('takes only what is new of overlapping points', () => {
    const columns = new Columns()
    columns.replace(frame({ value: [1, 2, 3] }), 100)
    expect(columns.append(frame({ first: 1, value: [2, 3, 4] }))).toBe(1)
    expect(columns.append(frame({ first: 0, value: [1, 2] }))).toBe(0)
    expect(values(columns)).toEqual([1, 2, 3, 4])
  })

  it('reports a gap instead of drawing over it', () => {
    const columns = new Columns()
    columns.replace(frame({ value: [1] }), 100)
    expect(columns.append(frame({ first: 5, value: [9] }))).toBe(-1)
    expect(values(columns)).toEqual([1])
  })

  it('keeps live points that came while a view was fetched', () => {
    const columns = new Columns()
    columns.replace(frame({ value: [1, 2] }), 100)
    columns.append(frame({ first: 2, value: [3, 4, 5] }))
    columns.replace(frame({ kind: 2, first: 0, end: 4, step: [0, 3], value: [1, 4] }), 100)
    expect(values(columns)).toEqual([1, 4, 5])
    expect(columns).toMatchObject({ end: 5, viewRows: 2, complete: false })
  })

  it('finds the row of a step, also where steps went back', () => {
    const columns = new Columns()
    columns.replace(frame({ step: [10, 20, 30], value: [1, 2, 3] }), 100)
    expect([5, 10, 25, 99].map((step) => columns.rowAt(step))).toEqual([-1, 0, 1, 2])
    columns.append(frame({ first: 3, step: [20, 25], value: [4, 5] }))
    expect(columns.ordered).toBe(false)
    expect([20, 27, 30].map((step) => columns.rowAt(step))).toEqual([3, 4, 2])
  })

  it('marks which rows of an envelope are a fair sample', () => {
    const columns = new Columns()
    columns.replace(
      frame({ kind: 2, first: 0, end: 100, step: [0, 10, 20, 49, 50, 60, 99], value: [1, 9, 0, 2, 3, 8, 4] }),
      2,
    )
    expect([...(columns.sample ?? [])]).toEqual([1, 0, 0, 1, 1, 0, 1])
  })
})
