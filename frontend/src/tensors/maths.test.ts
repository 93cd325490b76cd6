/** Tiles, texts of numbers, the viewport and the colours. */
import { describe, expect, it } from 'vitest'

import { makePalette, shadeOf, spanOf } from './palette'
import {
  cellCharacters,
  cellText,
  decodeTile,
  fourDigits,
  halfFloat,
  powerOf,
  TileError,
  type ValueTile,
} from './tiles'
import {
  cellAt,
  cellSize,
  cellWidth,
  centred,
  fitZoom,
  kept,
  levelOf,
  MOST_ZOOM,
  panBy,
  revealed,
  snapped,
  tilesOf,
  topLevel,
  windowOf,
  zoomAt,
  type Frame,
} from './grid/viewport'

function tile(level: number, rows: number, columns: number, dtype: number, ...parts: ArrayBufferView[]): ArrayBuffer {
  const bytes = [new Uint32Array([1, level, rows, columns, dtype, 0, 0, 0]), ...parts].map(
    (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  )
  const whole = new Uint8Array(bytes.reduce((sum, one) => sum + one.length, 0))
  let at = 0
  for (const one of bytes) {
    whole.set(one, at)
    at += one.length
  }
  return whole.buffer
}
const values = (dtype: number, part: ArrayBufferView, columns: number): ValueTile => {
  const found = decodeTile(tile(0, 1, columns, dtype, part))
  if (found.kind !== 'values') throw new Error('no values')
  return found
}

describe('tiles', () => {
  it('hold values of every type as they are', () => {
    const floats = values(10, new Float32Array([1.5, NaN, -Infinity, 0.1]), 4)
    expect([...(floats.value as Float32Array)]).toEqual([1.5, NaN, -Infinity, Math.fround(0.1)])
    expect(cellText(floats, 3, 'full')).toBe('0.1')
    expect(cellText(floats, 0, 'hex')).toBe('0x3fc00000')
    expect([0, 1, 2].map((at) => cellText(floats, at, 'four'))).toEqual(['1.500', 'NaN', '−Inf'])
    expect(cellText(values(7, new BigInt64Array([2n ** 53n + 1n]), 1), 0, 'four')).toBe('9007199254740993')
    expect(cellText(values(8, new BigUint64Array([2n ** 64n - 1n]), 1), 0, 'hex')).toBe('0xffffffffffffffff')
    expect(cellText(values(0, new Uint8Array([0, 1]), 2), 1, 'four')).toBe('True')
    expect(cellText(values(12, new Float32Array([3, -4]), 1), 0, 'four')).toBe('3−4j')
    expect(values(12, new Float32Array([3, -4]), 1).value[0]).toBe(5)
    expect(cellText(values(9, new Uint16Array([0x3c00]), 1), 0, 'hex')).toBe('0x3c00')
    expect(cellText(values(11, new Float64Array([0.1 + 0.2]), 1), 0, 'full')).toBe('0.30000000000000004')
    expect(cellText(values(10, new Float32Array([0.01634]), 1), 0, 'scaled', -3)).toBe('16.34')
  })

  it('hold blocks', () => {
    const found = decodeTile(
      tile(
        3,
        1,
        2,
        10,
        new Float32Array([1, 2]),
        new Float32Array([3, 4]),
        new Float32Array([2, NaN]),
        new Uint32Array([0, 64]),
        new Uint32Array(2),
        new Uint32Array(2),
      ),
    )
    expect(found).toMatchObject({ kind: 'blocks', level: 3, rows: 1, columns: 2 })
    if (found.kind === 'blocks')
      expect([[...(found.high as Float32Array)], [...found.nan]]).toEqual([
        [3, 4],
        [0, 64],
      ])
  })

  it('are refused when something is wrong with them', () => {
    expect(() => decodeTile(new ArrayBuffer(8))).toThrow(TileError)
    expect(() => decodeTile(tile(0, 1, 2, 10, new Float32Array([1])))).toThrow(TileError)
    expect(() => decodeTile(tile(0, 1, 1, 77, new Float32Array([1])))).toThrow(TileError)
  })

  it.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [1, 2 ** -24],
    [0x7c00, Infinity],
    [0x3555, 0.333251953125],
  ])('%i is the half %f', (bits, value) => {
    expect(halfFloat(bits)).toBe(value)
  })

  it.each([
    [0, '0'],
    [0.0121, '0.01210'],
    [-0.00000121, '−1.210e−6'],
    [12345678, '1.235e7'],
    [250, '250'],
    [NaN, 'NaN'],
  ])('%f reads %s', (value, text) => {
    expect(fourDigits(value)).toBe(text)
  })

  it.each([
    [0.034, -3],
    [0.00034, -6],
    [5, 0],
    [750, 0],
    [1200, 3],
    [0, 0],
  ])('a plane up to %f is written in multiples of ten to the %i', (largest, power) => {
    expect(powerOf(largest)).toBe(power)
  })

  it('knows how long texts get', () => {
    expect([
      cellCharacters('float32', 'four', 1),
      cellCharacters('float32', 'hex', 1),
      cellCharacters('int32', 'four', 12345),
      cellCharacters('bool', 'full', 1),
    ]).toEqual([9, 10, 6, 5])
  })
})

const FRAME: Frame = { rows: 1000, columns: 2000, width: 600, height: 400, textWidth: 80 }

describe('the viewport', () => {
  it('shows the whole plane, or what of it fits', () => {
    expect(fitZoom(FRAME)).toBe(0.3)
    expect(kept({ zoom: 0.01, row: 5, column: 5 }, FRAME)).toEqual({ zoom: 0.3, row: 0, column: 0 })
    expect(kept({ zoom: 1e9, row: 1e9, column: -4 }, FRAME)).toEqual({
      zoom: MOST_ZOOM,
      row: 1000 - 400 / 48,
      column: 0,
    })
  })

  it('keeps what is under the pointer there', () => {
    const before = { zoom: 2, row: 100, column: 300 }
    const after = zoomAt(before, FRAME, 1.7, 120, 80)
    expect(after.row + 80 / after.zoom).toBeCloseTo(before.row + 40)
    expect(after.column + 120 / cellWidth(after.zoom, 80)).toBeCloseTo(before.column + 60)
  })

  it('widens cells without a jump until texts fit', () => {
    expect([cellWidth(6, 80), cellWidth(12, 80), cellWidth(24, 80), cellWidth(48, 80)]).toEqual([6, 12, 80, 160])
    expect(cellWidth(23.999, 80)).toBeCloseTo(80, 1)
  })

  it('keeps a vector to be seen, however long it is', () => {
    const vector = { ...FRAME, rows: 1, columns: 60_000 }
    expect(fitZoom(vector)).toBe(0.01)
    expect(cellSize(0.01, vector)).toEqual({ high: 24, wide: 0.01 })
    expect(windowOf({ zoom: 0.01, row: 0, column: 0 }, vector)).toEqual({
      firstRow: 0,
      endRow: 1,
      firstColumn: 0,
      endColumn: 60_000,
    })
    expect(cellAt({ zoom: 0.01, row: 0, column: 0 }, vector, 300, 12)).toEqual({ row: 0, column: 30_000 })
  })

  it('moves no further than needed', () => {
    const view = { zoom: 20, row: 100, column: 100 }
    expect(revealed(view, FRAME, 105, 105)).toEqual(view)
    expect(revealed(view, FRAME, 50, 105).row).toBe(50)
    expect(revealed(view, FRAME, 120, 105).row).toBe(101)
    expect(revealed({ zoom: 24, row: 0, column: 0 }, FRAME, 30, 9)).toEqual({ zoom: 24, row: 15, column: 3 })
    expect(snapped({ zoom: 24, row: 10.4, column: 3.6 }, FRAME)).toEqual({ zoom: 24, row: 10, column: 4 })
    expect(centred(24, FRAME, 500, 1000)).toMatchObject({ zoom: 24 })
    expect(panBy(view, FRAME, 0, 40).row).toBe(102)
  })

  it('counts cells and tiles in view', () => {
    const view = { zoom: 24, row: 10.5, column: 3 }
    expect(windowOf(view, FRAME)).toEqual({ firstRow: 10, endRow: 28, firstColumn: 3, endColumn: 11 })
    expect(cellAt(view, FRAME, 81, 13)).toEqual({ row: 11, column: 4 })
    expect(cellAt({ zoom: 24, row: 0, column: 1999 }, FRAME, 100, 0)).toBeNull()
    expect(tilesOf({ firstRow: 0, endRow: 129, firstColumn: 120, endColumn: 128 }, 0)).toHaveLength(2)
    expect(tilesOf({ firstRow: 0, endRow: 1000, firstColumn: 0, endColumn: 2000 }, 4)).toEqual([
      { level: 4, row: 0, column: 0 },
    ])
  })

  it.each([
    [24, 0],
    [2, 0],
    [1.9, 1],
    [0.3, 3],
    [0.01, 8],
  ])('at %f pixels a cell it takes level %i', (zoom, level) => {
    expect(levelOf(zoom)).toBe(level)
  })

  it.each([
    [1, 1, 0],
    [128, 128, 0],
    [129, 3, 1],
    [10_000, 10_000, 7],
  ])('%i x %i are one tile at level %i', (rows, columns, level) => {
    expect(topLevel(rows, columns)).toBe(level)
  })
})

const INK = {
  colour: (css: string): string =>
    ({ 'var(--div-neg)': '#2f6fb5', 'var(--div-zero)': '#f4f4f2', 'var(--div-pos)': '#c2452d' })[css] ?? '#c2187f',
  font: '',
  rawAlpha: 1,
  oldAlpha: 1,
}

describe('colours', () => {
  it('diverge from 0 whatever the range is', () => {
    const span = spanOf({ min: -10, max: 99, low: -1, high: 3 }, 'diverging', 'robust')
    expect(span).toEqual({ low: -3, high: 3 })
    const { css } = makePalette('diverging', INK)
    expect([css[0], css[255]]).toEqual(['rgb(47 111 181)', 'rgb(194 69 45)'])
    expect(css[shadeOf(0, span)]).toMatch(/rgb\(24[34] 24[234] 24[123]\)/)
    expect([shadeOf(-99, span), shadeOf(99, span)]).toEqual([0, 255])
  })

  it('span what there is, clipped or not', () => {
    const numbers = { min: -10, max: 99, low: -1, high: 3 }
    expect(spanOf(numbers, 'sequential', 'full')).toEqual({ low: -10, high: 99 })
    expect(spanOf({ ...numbers, low: 0, high: 0 }, 'sequential', 'robust')).toEqual({ low: -10, high: 99 })
    expect(spanOf({ min: null, max: null, low: null, high: null }, 'diverging', 'robust')).toEqual({ low: -1, high: 1 })
    expect(shadeOf(0, { low: -1.7e308, high: 1.7e308 })).toBe(128)
  })

  it('have ink that can be read on them', () => {
    const { ink } = makePalette('sequential', INK)
    expect([ink[0], ink[255]]).toEqual(['#ffffff', '#10151c'])
  })
})
