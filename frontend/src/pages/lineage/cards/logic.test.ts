/** The arithmetic of the cards: axes with lanes, stacking, painting, fronts, bins, marks, sentences. */
import { describe, expect, it } from 'vitest'

import type { CategoryColumn, NumberColumn } from '../table'
import type { Effect, ImportanceResult } from './answers'
import { layOutAxis } from '../parallel/layout'
import { heldBetween, LANE, plotAxis, sideOf, sideTicks } from './plots/axis'
import { binsOf } from './plots/bins'
import { bestRows, tellingColumns } from './columns'
import { figure, signed } from './importance/figures'
import { advances, paretoFront } from './plots/front'
import { effectMarks, stairs, stripQuartiles } from './plots/marks'
import { nearest, placePoints } from './plots/scatter'
import { interactionText, sentences } from './importance/sentences'
import { discStamp, rgbOf, stampRows } from './plots/stamps'
import { wireText } from '../../../components/formatting/wireText'

function numbers(
  values: readonly (number | null)[],
  name = 'params.lr',
  better: NumberColumn['better'] = null,
): NumberColumn {
  const missing = Uint8Array.from(values, (value) => Number(value === null))
  return {
    kind: 'number',
    name,
    group: 'params',
    set: values.filter((value) => value !== null).length,
    better,
    values: Float64Array.from(values, (value) => value ?? NaN),
    missing: missing.some(Boolean) ? missing : null,
  }
}
function texts(codes: readonly number[], values: readonly string[]): CategoryColumn {
  return {
    kind: 'category',
    name: 'params.optimizer',
    group: 'params',
    set: codes.filter(Boolean).length,
    better: null,
    codes: Uint8Array.from(codes),
    values,
  }
}

describe('an axis', () => {
  it('gives what is not set and what has no place lanes of their own before it', () => {
    const side = sideOf(plotAxis(numbers([0.1, null, 1, NaN, 0, -3]), 'log'), 100, 400)
    expect(side.axis.lanes).toEqual(['unset', 'odd'])
    expect([...side.axis.laneOf]).toEqual([0, 1, 0, 2, 2, 2])
    expect(side.from).toBe(100 + 2 * LANE)
    expect(side.lane(1)).toBe(100 + 1.5 * LANE)
    expect(side.pixel(-1)).toBeGreaterThan(side.from)
    expect(side.pixel(0)).toBeLessThan(400)
  })

  it('names the lane of values without a place rightly where every run is set', () => {
    const axis = plotAxis(numbers([1, Infinity]), 'linear')
    expect([axis.lanes, [...axis.laneOf]]).toEqual([['odd'], [0, 1]])
  })

  it('says which values a brush between two pixels holds', () => {
    const side = sideOf(plotAxis(numbers([0.001, 0.1, null]), 'log'), 200, 0)
    const { range, missing } = heldBetween(side, side.pixel(-2.5), 0)
    expect(range?.[0]).toBeCloseTo(10 ** -2.5, 5)
    expect(missing).toBe(false)
    expect(heldBetween(side, 200, side.lane(0) - 1)).toEqual({ range: null, values: [], missing: true })
    const strips = sideOf(plotAxis(texts([1, 2, 3], ['a', 'b', 'c']), 'category'), 0, 300)
    expect(heldBetween(strips, 20, 160).values).toEqual(['a', 'b'])
  })

  it('has categories in the order of the parallel axes, numbers in texts by their size', () => {
    const column = texts([1, 2, 0, 1], ['layer10', 'layer2'])
    const axis = plotAxis(column, 'category')
    expect([axis.categories, [...axis.places], axis.lanes]).toEqual([['layer2', 'layer10'], [1, 0, NaN, 1], ['unset']])
    expect(axis.categories).toEqual(
      layOutAxis({ name: column.name, scale: 'category', inverted: false }, column).categories,
    )
  })

  it('has ticks with few digits, and words for the lanes are left to the page', () => {
    const ticks = sideTicks(sideOf(plotAxis(numbers([0.0001, 0.1, null]), 'log'), 0, 400), 60)
    expect(ticks.map(({ text }) => text)).toEqual(['', '1e−4', '0.001', '0.01', '0.1'])
    expect(ticks[0].lane).toBe('unset')
  })

  it('has few numbers that runs share ticked one by one, where they have room', () => {
    const texts = (values: number[]): string[] =>
      sideTicks(sideOf(plotAxis(numbers(values), 'linear'), 0, 300), 60).map(({ text }) => text)
    expect(texts([32, 64, 128, 64, 32])).toEqual(['32', '64', '128'])
    expect(texts([1, 1.001, 300, 300])).toEqual(['0', '50', '100', '150', '200', '250', '300'])
  })
})

describe('points', () => {
  it('that share a strip and a height lie beside each other, inside of the strip', () => {
    const across = sideOf(plotAxis(texts([1, 1, 1, 2], ['a', 'b']), 'category'), 0, 200)
    const up = sideOf(plotAxis(numbers([5, 5, 5, 5]), 'linear'), 100, 0)
    const { x, y } = placePoints(across, up, 4)
    expect(new Set(x.slice(0, 3)).size).toBe(3)
    expect([...x.slice(0, 3)].every((at) => at > 0 && at < 100)).toBe(true)
    expect(x[3]).toBe(across.pixel(1))
    expect(new Set(y).size).toBe(1)
  })

  it('of two categories fill a block', () => {
    const count = 400
    const across = sideOf(plotAxis(texts(new Array<number>(count).fill(1), ['a']), 'category'), 0, 100)
    const up = sideOf(plotAxis(texts(new Array<number>(count).fill(1), ['a']), 'category'), 100, 0)
    const { x, y } = placePoints(across, up, count)
    expect(new Set([...x].map((at, row) => `${at.toFixed(2)} ${y[row].toFixed(2)}`)).size).toBe(count)
    expect(Math.min(...x, ...y)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...x, ...y)).toBeLessThanOrEqual(100)
  })

  it('are found by the nearest one within reach that counts', () => {
    const points = { x: Float32Array.of(0, 10, 12), y: Float32Array.of(0, 10, 10) }
    expect(nearest(points, 11.5, 10, 5, () => true)).toBe(2)
    expect(nearest(points, 11.5, 10, 5, (row) => row !== 2)).toBe(1)
    expect(nearest(points, 40, 40, 5, () => true)).toBeNull()
  })

  it('are painted over each other as a browser would', () => {
    const sheet = { width: 3, height: 3, data: new Uint8ClampedArray(36) }
    const dot = { size: 1, cover: Float32Array.of(1) }
    const points = { x: Float32Array.of(0.75, 0), y: Float32Array.of(0.75, 0) }
    const rgb = Uint8Array.of(200, 0, 0, 0, 100, 0)
    stampRows(sheet, dot, [0], points, 2, { rgb, shades: null, alpha: 1 })
    stampRows(sheet, dot, [0], points, 2, { rgb, shades: Uint8Array.of(1), alpha: 0.5 })
    expect([...sheet.data.slice(16, 20)]).toEqual([100, 50, 0, 255])
    // Half of it lies outside.
    stampRows(sheet, discStamp(2), [1], points, 2, { rgb, shades: null, alpha: 0.5 })
    expect([...sheet.data.slice(0, 4)]).toEqual([200, 0, 0, 128])
    const area = discStamp(3).cover.reduce((sum, one) => sum + one, 0)
    expect(Math.abs(area - Math.PI * 9)).toBeLessThan(1)
    expect([rgbOf('#0a1B2c'), rgbOf('rgb(1 2 3)')]).toEqual([
      [10, 27, 44],
      [1, 2, 3],
    ])
  })
})

describe('fronts', () => {
  it('are the rows that no other row beats in both, as trying all pairs finds', () => {
    let seed = 7
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647
    const x = Array.from({ length: 120 }, () => Math.round(random() * 20))
    const y = Array.from({ length: 120 }, () => Math.round(random() * 20))
    for (const [wayX, wayY] of [
      ['max', 'max'],
      ['min', 'max'],
      ['min', 'min'],
    ] as const) {
      const better = (a: number, b: number, way: string): boolean => (way === 'max' ? a > b : a < b)
      const beats = (p: number, q: number): boolean =>
        !better(x[q], x[p], wayX) && !better(y[q], y[p], wayY) && (better(x[p], x[q], wayX) || better(y[p], y[q], wayY))
      const rows = x.map((_, row) => row)
      const expected = rows.filter((row) => !rows.some((other) => beats(other, row)))
      expect(
        [
          ...paretoFront(
            rows,
            (row) => x[row],
            (row) => y[row],
            wayX,
            wayY,
          ),
        ].sort((a, b) => a - b),
      ).toEqual(expected)
    }
  })

  it('leave out what is no finite number, and advances do so too', () => {
    const y = [1, NaN, 3, 2, 4]
    expect(
      paretoFront(
        [0, 1],
        (row) => row,
        (row) => y[row],
        'max',
        'max',
      ),
    ).toEqual([0])
    expect(
      advances(
        [0, 1, 2, 3, 4],
        (row) => row,
        (row) => y[row],
        'max',
      ).map(({ row }) => row),
    ).toEqual([0, 2, 4])
    expect(
      advances(
        [0, 1, 2],
        (row) => row,
        (row) => y[row],
        'min',
      ).map(({ row }) => row),
    ).toEqual([0])
  })

  it('are drawn as stairs', () => {
    expect(stairs([0, 1], { x: Float32Array.of(5, 9), y: Float32Array.of(50, 20) }, 30)).toBe('M5.0 50.0H9.0V20.0H30.0')
  })
})

describe('bins', () => {
  it('count every run once between round edges', () => {
    const column = numbers([0, 0.1, 0.25, 0.5, 0.99, 1, null], 'metrics.accuracy')
    const found = binsOf(column, 'linear', (row) => row !== 1, Uint8Array.of(1, 1, 0, 0, 0, 1, 1))!
    expect(found.all.reduce((sum, one) => sum + one, 0)).toBe(5)
    expect(found.passing.reduce((sum, one) => sum + one, 0)).toBe(2)
    expect(found.without).toBe(1)
    expect(found.edges[0]).toBe(0)
    expect(found.edges.at(-1)).toBeGreaterThanOrEqual(1)
    expect(binsOf(numbers([null]), 'linear', () => true, Uint8Array.of(1))).toBeNull()
  })
})

describe('marks', () => {
  const up = sideOf(plotAxis(numbers([0, 1]), 'linear'), 100, 0)
  const curve: Effect = {
    name: 'params.lr',
    kind: 'log',
    x: [0.01, 0.1],
    mean: [0, 1],
    low: [0, 0.5],
    high: [0.5, 1],
    missing: { mean: 0.5, low: 0.4, high: 0.6 },
  }

  it('of a number are a line with its band, and a mark where it is not set', () => {
    const across = sideOf(plotAxis(numbers([0.01, 0.1, null]), 'log'), 0, 300)
    const { line, band, strips } = effectMarks(curve, across, up)
    expect(line.split('L')).toHaveLength(2)
    expect(band.split('L')).toHaveLength(4)
    expect(strips.map(({ x }) => x)).toEqual([across.lane(0)])
    expect(strips[0].high).toBeLessThan(strips[0].y)
  })

  it('of a category stand in its strip, and quartiles stand there without a model', () => {
    const across = sideOf(plotAxis(texts([1, 1, 1, 1, 2], ['adam', 'sgd']), 'category'), 0, 200)
    const { strips } = effectMarks({ ...curve, x: undefined, categories: ['sgd', 'lost'], missing: null }, across, up)
    expect(strips.map(({ x }) => x)).toEqual([across.pixel(1)])
    const points = { x: new Float32Array(5), y: Float32Array.of(10, 20, 30, 40, 99) }
    expect(stripQuartiles(across, up, points, [0, 1, 2, 3, 4]).map(({ y, low, high }) => [y, low, high])).toEqual([
      [25, 32.5, 17.5],
    ])
  })
})

describe('sentences', () => {
  const parameter = (name: string, importance: number): ImportanceResult['parameters'][number] => ({
    name,
    same: [],
    kind: 'number',
    importance,
    low: 0,
    high: 1,
    rank: 0,
    rank_low: 0,
    rank_high: 0,
    set: 9,
    distinct: 3,
  })
  const result: ImportanceResult = {
    n: 240,
    left_out: {},
    fit: { r2: 0.8, low: 0.7, high: 0.9 },
    parameters: [parameter('learning_rate', 0.6), parameter('batch_size', 0.12)],
    interactions: [
      { a: 'learning_rate', b: 'batch_size', strength: 0.11, low: 0.08, high: 0.14 },
      { a: 'a', b: 'b', strength: 0.02, low: -0.01, high: 0.05 },
    ],
    effects: [],
    notices: [{ code: 'too_few', n: 6, least: 10 }, { code: 'unheard_of' as never }],
  }
  const t = (key: string, named: Record<string, unknown> = {}): string => `${key} ${Object.values(named).join(' ')}`

  it('tell what acts together, about the one that matters less, and nothing that chance explains', () => {
    expect(interactionText(result.interactions[0], result, t, (name) => name)).toBe(
      'cards.mattered.only batch_size learning_rate 0.11 0.03',
    )
    expect(interactionText(result.interactions[1], result, t, (name) => name)).toBeNull()
    const strong = { ...result, parameters: [parameter('learning_rate', 0.6), parameter('batch_size', 0.5)] }
    expect(interactionText(result.interactions[0], strong, t, (name) => name)).toMatch(
      /^cards\.mattered\.together batch_size/,
    )
  })

  it('begin with what is wrong with the data, and leave out what they have no words for', () => {
    expect(
      sentences(
        result,
        t,
        (key) => key.endsWith('too_few'),
        (name) => name,
      ),
    ).toEqual(['cards.notice.too_few too_few 6 10', expect.stringContaining('only')])
  })

  it('have figures of two digits and a true minus sign', () => {
    expect([
      figure(0.614),
      figure(-0.004),
      signed(0.084),
      signed(-0.42),
      signed(null),
      wireText(-0.00012345678),
      wireText([1, 2]),
    ]).toEqual(['0.61', '0.00', '+0.08', '−0.42', '–', '−0.000123457', '[1,2]'])
  })

  it('put the best runs first, by what is better', () => {
    expect(bestRows(numbers([3, null, 1, 2], 'metrics.loss', 'min'), [0, 1, 2, 3])).toEqual([2, 3, 0])
    expect(bestRows(numbers([3, NaN, 1, 2]), [0, 1, 3])).toEqual([0, 3])
  })

  it('show the parameters that tell these rows apart, each once', () => {
    const batch = numbers([32, 64, 32], 'params.batch')
    const again = numbers([32, 64, 32], 'params.batch_size')
    const fixed = numbers([5, 5, 5], 'params.epoch')
    const optimizer = texts([1, 1, 2], ['SGD', 'Adam'])
    const names = (rows: number[], most = 3): string[] =>
      tellingColumns([fixed, batch, again, optimizer], rows, most).map(({ name }) => name)
    expect(names([0, 1, 2])).toEqual(['params.batch', optimizer.name])
    expect(names([0, 1, 2], 1)).toEqual(['params.batch'])
    expect(names([0, 2])).toEqual([optimizer.name])
    expect(names([0])).toEqual(['params.epoch', 'params.batch', optimizer.name])
  })
})
