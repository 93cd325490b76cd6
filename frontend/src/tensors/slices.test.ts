/** Slices: the texts of the server's own tests, and the planes that the view derives from them. */
import { describe, expect, it } from 'vitest'

import {
  cellOf,
  completions,
  parseSlice,
  planeEntries,
  planeOf,
  showing,
  SliceProblem,
  sliceText,
  standardSlice,
  taken,
  withIndex,
} from './slices'

const SHAPE = [4, 5, 6]
const NONE = new Map<number, number>()

function problem(text: string): [string, number] {
  try {
    parseSlice(text, SHAPE)
  } catch (error) {
    if (error instanceof SliceProblem) return [error.reason, error.position]
  }
  throw new Error(`${text} is taken for a slice`)
}

describe('slices', () => {
  it.each([
    ['', '[:, :, :]'],
    ['[]', '[:, :, :]'],
    ['...', '[:, :, :]'],
    ['[-1]', '[3, :, :]'],
    ['[:, 3, ::2]', '[:, 3, ::2]'],
    [' [ 1 , - 2 ] ', '[1, 3, :]'],
    ['[1,]', '[1, :, :]'],
    ['[..., -1]', '[:, :, 5]'],
    ['1:3, …, 0', '[1:3, :, 0]'],
  ])('%s is %s', (text, written) => {
    expect(sliceText(parseSlice(text, SHAPE))).toBe(written)
  })

  it.each([
    ['[,]', 'empty', 1],
    ['[:,,1]', 'empty', 3],
    ['[None]', 'newaxis', 1],
    ['[:, np.newaxis]', 'newaxis', 4],
    ['[::0]', 'zero_step', 3],
    ['[:::1]', 'character', 3],
    ['[1.5]', 'character', 1],
    ['[x]', 'character', 1],
    ['[1:2', 'bracket', 4],
    ['[..., ...]', 'ellipsis_twice', 6],
    ['[0, 0, 0, 0]', 'too_many', 10],
    ['[:, 9]', 'out_of_range', 4],
    ['[:, -6]', 'out_of_range', 4],
    ['[1 2]', 'character', 2],
  ])('%s is refused: %s at %i', (text, reason, position) => {
    expect(problem(text)).toEqual([reason, position])
  })

  it.each([
    [null, null, null, [0, 1, 2, 3, 4, 5, 6]],
    [2, null, null, [2, 3, 4, 5, 6]],
    [-2, null, null, [5, 6]],
    [null, -3, null, [0, 1, 2, 3]],
    [null, null, 3, [0, 3, 6]],
    [null, null, -1, [6, 5, 4, 3, 2, 1, 0]],
    [5, 1, -2, [5, 3]],
    [9, null, null, []],
    [-99, 99, null, [0, 1, 2, 3, 4, 5, 6]],
    [3, 3, null, []],
    [-1, -99, -3, [6, 3, 0]],
  ])('%s:%s:%s of 7 takes what Python takes', (start, stop, step, expected) => {
    const { first, step: by, count } = taken({ kind: 'range', start, stop, step }, 7)
    expect(Array.from({ length: count }, (_, at) => first + at * by)).toEqual(expected)
  })

  it('starts with the two neighbouring axes that have most to show', () => {
    expect(sliceText(standardSlice([256, 256, 3, 3]))).toBe('[:, :, 0, 0]')
    expect(sliceText(standardSlice([64, 3, 32, 32]))).toBe('[0, 0, :, :]')
    expect(sliceText(standardSlice([7]))).toBe('[:]')
    expect(sliceText(standardSlice([]))).toBe('[()]')
  })
})

describe('the plane of a slice', () => {
  it('has rows and columns, and an index of what is left', () => {
    const plane = planeOf(parseSlice('[::2, 1:, -1:]', SHAPE), SHAPE, new Map([[2, 0]]), false)
    expect(plane.axes.map(({ role }) => role)).toEqual(['rows', 'columns', 'rest'])
    expect([plane.rows, plane.columns, sliceText(planeEntries(plane))]).toEqual([2, 4, '[::2, 1:, 5]'])
    expect(plane.indexOf(1, 3)).toEqual([2, 4, 5])
    expect(cellOf(plane, [2, 4, 5])).toEqual({ row: 1, column: 3 })
    expect(cellOf(plane, [1, 4, 5])).toBeNull()
    expect(cellOf(plane, [2, 4, 4])).toBeNull()
  })

  it('has one row where one axis is left, one cell where none is', () => {
    expect(planeOf(parseSlice('[1, :, 2]', SHAPE), SHAPE, NONE, false)).toMatchObject({ rows: 1, columns: 5 })
    expect(planeOf(parseSlice('[1, :, 2]', SHAPE), SHAPE, NONE, true)).toMatchObject({ rows: 5, columns: 1 })
    expect(planeOf(parseSlice('[1, 0, 2]', SHAPE), SHAPE, NONE, false)).toMatchObject({ rows: 1, columns: 1 })
    expect(planeOf([], [], NONE, false)).toMatchObject({ rows: 1, columns: 1 })
  })

  it('swaps rows and columns', () => {
    const plane = planeOf(parseSlice('[0]', SHAPE), SHAPE, NONE, true)
    expect([plane.rows, plane.columns]).toEqual([6, 5])
    expect(plane.indexOf(4, 2)).toEqual([0, 2, 4])
  })

  it('goes where an element is', () => {
    const entries = parseSlice('[0, :, 1::2]', SHAPE)
    expect(cellOf(planeOf(entries, SHAPE, NONE, false), [3, 2, 4])).toBeNull()
    const moved = showing(entries, SHAPE, [3, 2, 4])
    expect(sliceText(moved.entries)).toBe('[3, :, :]')
    expect(cellOf(planeOf(moved.entries, SHAPE, moved.rest, false), [3, 2, 4])).toEqual({ row: 2, column: 4 })
  })

  it('frees an axis and puts it to an index', () => {
    const entries = parseSlice('[0, :, :]', SHAPE)
    expect(sliceText(withIndex(entries, 0, null))).toBe('[:, :, :]')
    expect(sliceText(withIndex(entries, 2, 4))).toBe('[0, :, 4]')
  })
})

it('proposes slices that fit', () => {
  expect(completions([4, 5, 6], '')).toContain('[:, 0, :]')
  expect(completions([4, 5, 6], '[0')).toEqual(['[0, :, :]'])
  for (const text of completions([4, 5, 6], '')) expect(() => parseSlice(text, SHAPE)).not.toThrow()
})
