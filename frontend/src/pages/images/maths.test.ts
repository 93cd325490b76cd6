import { describe, expect, it } from 'vitest'

import type { RunRow } from '../../data/types'
import { runColumns, stepColumns } from './columns'
import { greyOf, paintDifference, parseColour, signedDifference, valueCounts } from './compare/difference'
import { pickParam, zoomParam } from './viewParams'
import { MOST_ZOOM, WHOLE, panBy, pixelAt, placeIn, transformOf, zoomAt } from './zoom'

describe('zoom', () => {
  it('keeps what is under the pointer', () => {
    const at = { u: 0.3, v: 0.8 }
    let zoom = zoomAt(WHOLE, 4, at)
    expect(placeIn(zoom, at)).toEqual({ u: expect.closeTo(0.3), v: expect.closeTo(0.8) })
    zoom = zoomAt(zoom, 0.5, at)
    expect(placeIn(zoom, at)).toEqual({ u: expect.closeTo(0.3), v: expect.closeTo(0.8) })
  })

  it('never leaves the picture nor its limits', () => {
    expect(zoomAt(WHOLE, 0.1)).toEqual(WHOLE)
    expect(zoomAt(WHOLE, 1e9).scale).toBe(MOST_ZOOM)
    expect(panBy(WHOLE, 5, -5)).toEqual(WHOLE)
    expect(panBy({ scale: 2, x: 0.5, y: 0.5 }, 5, -5)).toEqual({ scale: 2, x: 0.75, y: 0.25 })
  })

  it('becomes a transform', () => {
    expect(transformOf(WHOLE)).toBe('translate(0%, 0%) scale(1)')
    expect(transformOf({ scale: 2, x: 0.75, y: 0.25 })).toBe('translate(-100%, 0%) scale(2)')
  })

  it('knows the pixel at a place, and that there is none beside a picture', () => {
    expect(pixelAt({ u: 0, v: 0 }, 4, 4)).toEqual({ x: 0, y: 0 })
    expect(pixelAt({ u: 0.999, v: 0.5 }, 4, 2)).toEqual({ x: 3, y: 1 })
    expect(pixelAt({ u: 0.5, v: 0.1 }, 4, 2)).toBeNull()
    expect(pixelAt({ u: 1, v: 0.5 }, 4, 4)).toBeNull()
  })
})

describe('difference', () => {
  const rgba = (...greys: number[]): Uint8ClampedArray =>
    Uint8ClampedArray.from(greys.flatMap((grey) => [grey, grey, grey, 255]))

  it('is signed, and its scale ends at the farthest pixel', () => {
    const values = signedDifference(rgba(100, 100, 100), rgba(50, 100, 200))
    expect([...values]).toEqual([-50, 0, 100])
    const { pixels, most } = paintDifference(values, [
      [0, 0, 255],
      [255, 255, 255],
      [255, 0, 0],
    ])
    expect(most).toBe(100)
    expect([...pixels]).toEqual([128, 128, 255, 255, 255, 255, 255, 255, 255, 0, 0, 255])
  })

  it('of a picture and itself is nothing', () => {
    expect(
      paintDifference(signedDifference(rgba(1, 9), rgba(1, 9)), [
        [0, 0, 0],
        [7, 7, 7],
        [9, 9, 9],
      ]).most,
    ).toBe(0)
  })

  it('counts every value', () => {
    expect(valueCounts(rgba(0, 3, 4, 255), 64)).toMatchObject({ low: 0, high: 255, mean: 65.5 })
    expect(valueCounts(rgba(0, 3, 4, 255), 64).counts.flatMap((count, at) => (count ? [[at, count]] : []))).toEqual([
      [0, 2],
      [1, 1],
      [63, 1],
    ])
    expect([greyOf(rgba(1, 2)), greyOf(Uint8ClampedArray.from([1, 1, 2, 255]))]).toEqual([true, false])
  })

  it('reads the colours of the design', () => {
    expect(parseColour(' #2f6fb5')).toEqual([0x2f, 0x6f, 0xb5])
  })
})

describe('address', () => {
  it('brings zoom and picks back', () => {
    expect(zoomParam.parse(zoomParam.format({ scale: 4, x: 0.25, y: 0.5 }) ?? '')).toEqual({
      scale: 4,
      x: 0.25,
      y: 0.5,
    })
    expect(zoomParam.parse('1e9~0~0')).toBeUndefined()
    expect(zoomParam.parse('2')).toBeUndefined()
    const pick = { run: 'abc', tag: 'a~b/c' }
    expect(pickParam.parse(pickParam.format(pick) ?? '')).toEqual(pick)
    expect(pickParam.parse('abc')).toBeUndefined()
  })
})

describe('columns', () => {
  const run = { number: 3, name: 'r' } as RunRow
  const entries = Array.from({ length: 9 }, (_, at) => ({ series: 1, index: at, step: 10 * at }))
  const steps = (step: number | null, room: number) =>
    stepColumns(run, entries, step, room, String).map((column) => (column.here ? `[${column.title}]` : column.title))

  it('are steps around the cursor, as many as there is room for', () => {
    expect(steps(45, 3)).toEqual(['30', '[40]', '50'])
    expect(steps(null, 3)).toEqual(['60', '70', '[80]'])
    expect(steps(0, 4)).toEqual(['[0]', '10', '20', '30'])
    expect(steps(-1, 2)).toEqual(['0', '10'])
    expect(steps(20, 99)).toHaveLength(9)
  })

  it('are runs at the cursor', () => {
    expect(runColumns([run], 7)).toMatchObject([{ run, step: 7, title: null }])
  })

  it('bring a pick with its step back', () => {
    const pick = { run: 'abc', tag: 'x@y~z', step: -40 }
    expect(pickParam.parse(pickParam.format(pick) ?? '')).toEqual(pick)
  })
})
