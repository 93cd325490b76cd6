import { describe, expect, it } from 'vitest'

import { NO_BRUSH } from '../brushes'
import { tableOf, type TestColumn } from '../testing/tables'
import type { Axis } from '../axes'
import { hasOdd, rangesText, stretchesOf, typedRanges, withLane, withoutStretch, withStretch } from './brushing'
import { frameOf, nearestRow, pixelsOf, ranksOf, shownText } from './geometry'
import { layOutAxis, NOWHERE, UNSET, type AxisLayout } from './layout'
import { fairOrder } from './painter'
import { DensityRaster, easing, LEVELS, lineAlpha } from './raster'

function laidOut(values: TestColumn['values'], axis: Partial<Axis> = {}): AxisLayout {
  const column = tableOf(values.length, [{ name: 'x', group: 'params', values }]).columns.get('x')
  if (!column) throw new Error('The table lost its column.')
  return layOutAxis({ name: 'x', scale: 'linear', inverted: false, ...axis }, column)
}
const rounded = (places: Iterable<number>): number[] => [...places].map((place) => Number(place.toFixed(3)))

describe('layOutAxis', () => {
  it('has high numbers above, turned round low ones', () => {
    expect(rounded(laidOut([0, 5, 10]).places)).toEqual([1, 0.5, 0])
    expect(rounded(laidOut([0, 5, 10], { inverted: true }).places)).toEqual([0, 0.5, 1])
  })

  it('has powers of ten at equal distances on a logarithmic axis, and no place for what has no logarithm', () => {
    const layout = laidOut([0.001, 0.01, 0.1, 0, -1, NaN, Infinity, null], { scale: 'log' })
    expect(rounded(layout.places)).toEqual([1, 0.5, 0, NOWHERE, NOWHERE, NOWHERE, NOWHERE, UNSET])
    expect([layout.hasNowhere, layout.hasUnset, layout.valueAt(0.5).toFixed(6)]).toEqual([true, true, '0.010000'])
  })

  it('has few numbers ticked one by one and ranks at equal distances', () => {
    expect(laidOut([32, 64, 256, 32], { scale: 'log' }).ticks.map(({ text }) => text)).toEqual(['256', '64', '32'])
    expect(rounded(laidOut([1, 10, 1000], { scale: 'category' }).places)).toEqual([1, 0.5, 0])
  })

  it('has categories in order, numbers in texts by their size', () => {
    const layout = laidOut(['layer10', 'layer2', null, true])
    expect([layout.categories, rounded(layout.places)]).toEqual([
      ['layer2', 'layer10', 'true'],
      [0.5, 0, UNSET, 1],
    ])
  })

  it('has one number in the middle', () => {
    expect(rounded(laidOut([3, 3, null]).places)).toEqual([0.5, 0.5, UNSET])
  })
})

describe('frameOf', () => {
  const axes = Array.from({ length: 8 }, () => laidOut([0.001, 0.01], { name: 'params.learning_rate', scale: 'log' }))

  it('has names rise from their axes where they find no room beside each other, whole', () => {
    const [wide, narrow] = [frameOf(1200, axes), frameOf(520, axes)]
    expect([wide.rising, narrow.rising]).toEqual([false, true])
    expect(narrow.nameRoom).toBeGreaterThan('learning_rate'.length * 7)
    expect(narrow.top).toBeGreaterThan(wide.top)
    expect(narrow.foot - narrow.top).toBe(wide.foot - wide.top)
  })

  it('writes numbers in fewer letters where the next axis would be under them, and never a part of one', () => {
    const frame = frameOf(520, axes)
    expect(['0.001', '0.00025', '12345', '-0.0001', 'momentum'].map((text) => shownText(text, frame, 1))).toEqual([
      '1e−3',
      '2.5e−4',
      '12345',
      '−1e−4',
      'mom…',
    ])
    expect(shownText('0.001', frameOf(1200, axes), 1)).toBe('0.001')
  })
})

describe('brushing', () => {
  const numbers = laidOut([0, 5, 10, null, NaN])
  const names = laidOut(['a', 'b', 'c', null])

  it('turns places into values and back', () => {
    const brush = withStretch(numbers, NO_BRUSH, 0.25, 0.75)
    expect(brush.ranges).toEqual([[2.5, 7.5]])
    expect(stretchesOf(numbers, brush)).toEqual([{ from: 0.25, to: 0.75, range: 0 }])
  })

  it('joins what overlaps and takes one of several away', () => {
    const two = withStretch(numbers, withStretch(numbers, NO_BRUSH, 0, 0.2), 0.5, 0.6)
    // A stretch to the end of the axis has no bound there.
    expect(two.ranges).toEqual([
      [4, 5],
      [8, Infinity],
    ])
    expect(stretchesOf(numbers, two).flatMap(({ from, to }) => rounded([from, to]))).toEqual([0.5, 0.6, 0, 0.2])
    expect(withStretch(numbers, two, 0.1, 0.55).ranges).toEqual([[4, Infinity]])
    expect(withoutStretch(numbers, two, stretchesOf(numbers, two)[0]).ranges).toEqual([[8, Infinity]])
  })

  it('takes whole categories', () => {
    const brush = withStretch(names, NO_BRUSH, 0.4, 0.95)
    expect([brush.values, withStretch(names, NO_BRUSH, 0.1, 0.1).values]).toEqual([['b'], ['a']])
    const two = withStretch(names, brush, 1, 1)
    expect([two.values, stretchesOf(names, two).length]).toEqual([['b', 'c'], 1])
    expect(withoutStretch(names, two, stretchesOf(names, two)[0]).values).toEqual([])
  })

  it('turns lanes on and off', () => {
    const both = withLane(withLane(NO_BRUSH, 'unset'), 'nowhere')
    expect([both.missing, hasOdd(both), stretchesOf(numbers, both).filter(({ from, to }) => from !== to)]).toEqual([
      true,
      true,
      [],
    ])
    expect(withLane(withLane(both, 'nowhere'), 'unset')).toEqual(NO_BRUSH)
  })

  it.each([
    ['1 .. 3', [[1, 3]]],
    [
      '3…1, 7',
      [
        [1, 3],
        [7, 7],
      ],
    ],
    ['≥ 1e-3', [[0.001, Infinity]]],
    [
      '< -2; 5 to 6',
      [
        [-Infinity, -2],
        [5, 6],
      ],
    ],
    ['', []],
    ['a', null],
    ['1 .. ', null],
    ['> 1 .. 2', null],
  ])('understands %j', (text, spans) => {
    expect(typedRanges(text)).toEqual(spans)
  })

  it('writes ranges as it understands them', () => {
    const spans = [
      [-Infinity, -2],
      [0.001, 0.01],
      [5, 5],
      [8, Infinity],
    ] as const
    expect(typedRanges(rangesText(spans))).toEqual(spans)
  })
})

describe('pixels', () => {
  const layouts = [laidOut([0, 10, 5]), laidOut([10, 0, 5])]
  const frame = frameOf(600, layouts)

  it('leave room for ticks and the legend', () => {
    expect([frame.ready, frame.xs[0] > 60, frame.xs[1] < 600 - 100, frameOf(100, layouts).ready]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('find the line under the pointer, those within the brushes first', () => {
    const ys = layouts.map((layout) => pixelsOf(layout, frame, new Float32Array(3).fill(0.5)))
    const middle = (frame.xs[0] + frame.xs[1]) / 2
    expect(nearestRow(frame.xs[0], frame.top + 2, frame, ys, Uint8Array.of(1, 1, 1), 12)).toBe(1)
    expect(nearestRow(frame.xs[1], frame.foot - 2, frame, ys, Uint8Array.of(1, 1, 1), 12)).toBe(1)
    expect(nearestRow(middle, (frame.top + frame.foot) / 2, frame, ys, Uint8Array.of(0, 0, 1), 12)).toBe(2)
    expect(nearestRow(middle, frame.top, frame, ys, Uint8Array.of(1, 1, 1), 12)).toBeNull()
  })

  it('order the runs of one value by what they are worth', () => {
    const target = tableOf(4, [
      { name: 'metrics.loss', group: 'metrics', better: 'min', values: [3, 1, NaN, 2] },
    ]).columns.get('metrics.loss')
    expect(rounded(ranksOf(target?.kind === 'number' ? target : null, 4))).toEqual([0.667, 0, 1, 0.333])
  })
})

describe('DensityRaster', () => {
  const COLUMNS = 4
  /** Lines between two axes, given by their ends, on a raster with this many rows of pixels; some are removed again. */
  function drawn(
    height: number,
    lines: readonly (readonly [number, number, number])[],
    gone: readonly number[] = [],
    wide: 1 | 2 = 1,
  ): Uint8ClampedArray {
    const raster = new DensityRaster(COLUMNS, height, wide)
    const gap = {
      from: 0,
      ease: easing(COLUMNS / wide),
      left: Float32Array.from(lines, ([from]) => from),
      right: Float32Array.from(lines, ([, to]) => to),
    }
    const levels = Int16Array.from(lines, ([, , level]) => level)
    raster.add(gap, Uint32Array.from(lines.keys()), levels, 1)
    raster.add(gap, Uint32Array.from(gone), levels, -1)
    const pixels = new Uint8ClampedArray(COLUMNS * height * 4)
    // By level, from black to full red; blue without one.
    const colours = new Uint8ClampedArray(4 * (LEVELS + 1)).map((_, at) =>
      at % 4 === 0 && at < 4 * LEVELS ? at / 4 / 4 : at === 4 * LEVELS + 2 ? 255 : 0,
    )
    raster.paint(pixels, colours, 0.5)
    return pixels
  }
  const pixelOf = (pixels: Uint8ClampedArray, x: number, y: number): number[] => [
    ...pixels.slice((y * COLUMNS + x) * 4, (y * COLUMNS + x + 1) * 4),
  ]

  it('gives each column of a line the coverage of one pixel, and mixes what lines are worth by it', () => {
    const pixels = drawn(6, [
      [2.5, 2.5, 400],
      [2.5, 2.5, 800],
    ])
    // Two lines of half opacity: 1 - 0.5 ** 2 of 255, in the colour of level 600.
    for (let x = 0; x < COLUMNS; x++) {
      expect(pixelOf(pixels, x, 2)).toEqual([150, 0, 0, 191])
      expect([pixelOf(pixels, x, 1)[3], pixelOf(pixels, x, 3)[3]]).toEqual([0, 0])
    }
    // Between two pixels both have a part of it.
    const between = drawn(6, [[3, 3, 400]])
    expect([2, 3, 4].map((y) => pixelOf(between, 0, y)[3])).toEqual([75, 75, 0])
  })

  it('draws steep lines without gaps and stays inside', () => {
    const pixels = drawn(50, [[-5, 60, 0]])
    for (let y = 0; y < 50; y++)
      expect(Math.max(...[0, 1, 2, 3].map((x) => pixelOf(pixels, x, y)[3])), `row ${y}`).toBeGreaterThan(0)
  })

  it('leaves nothing of lines that are taken away', () => {
    const kept = Array.from({ length: 40 }, (_, at) => [at * 1.37, 60 - at * 1.11, at * 25] as const)
    const others = Array.from({ length: 300 }, (_, at) => [at / 5.1, (at * 7.3) % 60, at % 3 ? at * 3 : -1] as const)
    expect(
      drawn(
        60,
        [...kept, ...others],
        others.map((_, at) => kept.length + at),
      ),
    ).toEqual(drawn(60, kept))
  })

  it('mixes what lies between two columns of two pixels', () => {
    const level = [
      [2.5, 2.5, 400],
      [5, 5, 800],
      [6.5, 6.5, -1],
    ] as const
    expect(drawn(8, level, [], 2)).toEqual(drawn(8, level))
    const falling = drawn(40, [[1, 39, 400]], [], 2)
    for (let y = 2; y < 39; y++)
      expect(Math.max(...[0, 1, 2, 3].map((x) => pixelOf(falling, x, y)[3])), `row ${y}`).toBeGreaterThan(0)
  })

  it('has lines without a level in a colour of their own where there is no other', () => {
    const pixels = drawn(8, [
      [1.5, 1.5, -1],
      [5.5, 5.5, 200],
      [5.5, 5.5, -1],
    ])
    expect([pixelOf(pixels, 1, 1), pixelOf(pixels, 1, 5)]).toEqual([
      [0, 0, 255, 128],
      [50, 0, 0, 191],
    ])
  })

  it('has lines the fainter the more they are', () => {
    expect([lineAlpha(10, 0.9, 100), lineAlpha(100, 0.9, 100)]).toEqual([0.9, 0.9])
    expect(lineAlpha(1000, 0.9, 100)).toBeLessThan(0.4)
  })
})

it('draws all rows in an order whose beginning is a sample', () => {
  const order = fairOrder(1000)
  expect(new Set(order).size).toBe(1000)
  expect(order.slice(0, 100).filter((row) => row < 500).length).toBeGreaterThan(30)
  expect(fairOrder(1000)).toEqual(order)
})
