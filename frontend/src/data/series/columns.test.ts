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

  it('says what it holds from the first point on, and nothing more once it is cleared', () => {
    const columns = new Columns()
    const fresh = { length: 0, end: 0, viewRows: 0, viewEnd: 0, complete: true, ordered: true, top: -Infinity }
    expect(columns).toMatchObject({ ...fresh, version: 0, generation: 0, sample: null })
    columns.replace(frame({ kind: 2, first: 0, end: 9, step: [5, 3], value: [1, 2] }), 100)
    expect(columns).toMatchObject({ ordered: false, top: 5, version: 1, generation: 1 })
    columns.append(frame({ first: 9, step: [7], value: [3] }))
    expect(columns).toMatchObject({ top: 7, version: 2, generation: 1 })
    columns.clear()
    expect(columns).toMatchObject({ ...fresh, version: 3, generation: 2, sample: null })
  })

  it('is in order again where a view replaces steps that went back', () => {
    const columns = new Columns()
    columns.replace(frame({ step: [1, 5, 2], value: [1, 2, 3] }), 100)
    expect(columns.ordered).toBe(false)
    columns.replace(frame({ step: [1, 2], value: [1, 2] }), 100)
    expect(columns).toMatchObject({ ordered: true, top: 2, appended: 0 })
  })

  it('does not change for points that it has', () => {
    const columns = new Columns()
    columns.replace(frame({ value: [1, 2] }), 100)
    const { version } = columns
    expect(columns.append(frame({ first: 0, value: [1, 2] }))).toBe(0)
    expect(columns.version).toBe(version)
  })

  it('finds live points by their index, and none that a view covers', () => {
    const columns = new Columns()
    columns.replace(frame({ kind: 2, first: 0, end: 10, step: [0, 9], value: [1, 2] }), 100)
    columns.append(frame({ first: 10, step: [10, 11], value: [3, 4] }))
    expect([0, 9, 10, 11].map((index) => columns.rowOf(index))).toEqual([-1, -1, 2, 3])
  })

  it('finds the first row too where steps went back', () => {
    const columns = new Columns()
    columns.replace(frame({ step: [1, 9, 4], value: [1, 2, 3] }), 100)
    expect([0, 1, 3, 4, 8, 9].map((step) => columns.rowAt(step))).toEqual([-1, 0, 0, 2, 2, 1])
  })

  it('keeps the times of live points beside their values', () => {
    const columns = new Columns()
    columns.replace(frame({ step: [0, 1], wall: [100, 101], value: [1, 2] }), 100)
    columns.append(frame({ first: 2, step: [2, 3], wall: [102, 103], value: [3, 4] }))
    columns.replace(frame({ kind: 2, first: 0, end: 3, step: [0, 2], wall: [100, 102], value: [1, 3] }), 100)
    expect([...columns.wall.subarray(0, columns.length)]).toEqual([100, 102, 103])
  })

  it('divides an envelope into pixel columns from its first step on', () => {
    const columns = new Columns()
    const step = [1000, 1010, 1020, 1049, 1050, 1060, 1099]
    columns.replace(frame({ kind: 2, first: 0, end: 100, step, value: [1, 9, 0, 2, 3, 8, 4] }), 2)
    expect([...(columns.sample ?? [])]).toEqual([1, 0, 0, 1, 1, 0, 1])
    columns.replace(frame({ kind: 2, first: 0, end: 100, step: [], value: [] }), 2)
    expect(columns.sample).toHaveLength(0)
  })

  it('holds room for twice the points, so that appending stays cheap', () => {
    const columns = new Columns()
    columns.replace(frame({ value: new Array<number>(1000).fill(1) }), 100)
    const before = columns.step
    columns.append(frame({ first: 1000, value: new Array<number>(before.length - 1000).fill(1) }))
    expect(columns.step).toBe(before)
    columns.append(frame({ first: before.length, value: [1] }))
    expect(columns.step.length).toBe(2 * before.length)
  })
})
