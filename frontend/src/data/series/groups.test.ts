import { describe, expect, it } from 'vitest'

import { decodeDensity, decodeGroups } from './groups'
import { rowsOfColumns } from './seriesIndex'

/** A frame as docs/architecture/wire.md describes kinds 8 and 9. */
function frame(kind: number, run: number, numbers: readonly number[], counts: readonly number[] = []): Uint8Array {
  const payload = numbers.length * 8 + counts.length * 2
  const bytes = new Uint8Array(40 + Math.ceil(payload / 8) * 8)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, 1)
  view.setUint8(1, kind)
  view.setUint8(2, 2)
  view.setUint32(4, run, true)
  view.setUint32(12, payload, true)
  numbers.forEach((number, at) => view.setFloat64(40 + 8 * at, number, true))
  counts.forEach((count, at) => view.setUint16(40 + 8 * numbers.length + 2 * at, count, true))
  return bytes
}

function message(...frames: Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(frames.reduce((sum, one) => sum + one.length, 0))
  let at = 0
  for (const one of frames) {
    all.set(one, at)
    at += one.length
  }
  return all.buffer
}

describe('frames of groups', () => {
  it('give each group its columns', () => {
    const found = decodeGroups(
      message(frame(8, 0, [0, 10, 3, 30, 1, 2, 0.5, 0.25, 0.4, NaN, 0.6, NaN, 3, 1]), frame(8, 1, [0, 10, 0, 0])),
    )
    expect(found).toHaveLength(2)
    expect(found[0]).toMatchObject({ group: 0, low: 0, high: 10, members: 3, points: 30 })
    expect(
      [found[0].x, found[0].line, found[0].bandLow, found[0].bandHigh, found[0].count].map((column) => [...column]),
    ).toEqual([
      [1, 2],
      [0.5, 0.25],
      [0.4, NaN],
      [0.6, NaN],
      [3, 1],
    ])
    expect([found[1].group, found[1].x.length]).toEqual([1, 0])
  })

  it('leave out frames of other kinds, and refuse what is cut', () => {
    expect(decodeGroups(message(frame(4, 0, [1, 2])))).toEqual([])
    expect(() => decodeGroups(message(frame(8, 0, [0, 1, 1, 1, 7])))).toThrow('different lengths')
    expect(() => decodeGroups(message(frame(8, 0, [0, 1, 1, 1])).slice(0, 56))).toThrow('not there')
    expect(() => decodeGroups(new ArrayBuffer(12))).toThrow('cut short')
  })
})

describe('a frame of a density', () => {
  it('has counts by row and column', () => {
    const found = decodeDensity(message(frame(9, 0, [0, 10, 5, 50, -1, 1, 3, 2], [1, 2, 3, 4, 5, 6])))
    expect(found).toMatchObject({ members: 5, bottom: -1, top: 1, width: 3, height: 2 })
    expect([...found.counts]).toEqual([1, 2, 3, 4, 5, 6])
    expect(() => decodeDensity(message(frame(9, 0, [0, 10, 5, 50, -1, 1, 30, 2], [1])))).toThrow('cut short')
    expect(() => decodeDensity(message(frame(8, 0, [0, 0, 0, 0])))).toThrow('no density')
  })
})

it('makes rows of columns', () => {
  const rows = rowsOfColumns({
    names: ['acc', 'loss'],
    tag: [1, 0],
    run: [4, 5],
    series: [40, 50],
    segment: [0, 1],
    count: [9, 1],
    first_step: [0, null],
    last_step: [8, null],
    first_wall: [1, null],
    last_wall: [2, null],
    last_value: [null, 0.5],
    min: [0.25, null],
    max: [3, null],
    not_finite: [1, 0],
  })
  expect(rows[0]).toMatchObject({
    name: 'loss',
    run: 4,
    series: 40,
    count: 9,
    firstStep: 0,
    lastValue: NaN,
    min: 0.25,
    notFinite: 1,
  })
  expect(rows[1]).toMatchObject({ name: 'acc', segment: 1, firstStep: null, firstWall: null, lastValue: 0.5, min: NaN })
})
