import { describe, expect, it, vi } from 'vitest'

import { drawCurve, penOf } from './brush'
import { Curve } from './curve'
import { LINEAR } from './scale'
import type { Ink } from './theme'

const ink: Ink = { colour: (css) => css, font: '10px sans-serif', rawAlpha: 0.3, oldAlpha: 0.5 }
const projection = { ax: 1, bx: 0, ay: 1, by: 0, x: LINEAR, y: LINEAR }
const spec = { colour: 'red', dash: [], restart: null }

/** Widths of the lines that a curve of three points is drawn with, in a chart of so many points. */
function widths(together: number, changes: { onScreen?: boolean; ratio?: number; restart?: number } = {}): number[] {
  const { onScreen = true, ratio = 1, restart = null } = changes
  vi.stubGlobal('Path2D', class { moveTo = vi.fn(); lineTo = vi.fn() })
  const drawn: number[] = []
  const context = {
    ...(onScreen ? { canvas: {} } : {}), lineWidth: 0, beginPath: vi.fn(), moveTo: vi.fn(), lineTo: vi.fn(), setLineDash: vi.fn(), translate: vi.fn(),
    stroke: () => void drawn.push(context.lineWidth),
  }
  const curve = Object.assign(new Curve(), { x: Float64Array.of(0, 1, 2), y: Float64Array.of(0, 1, 0), smooth: Float64Array.of(0, 1, 0), length: 3 })
  drawCurve(context as unknown as CanvasRenderingContext2D, curve, { from: 0, to: 3 }, projection, penOf({ ...spec, restart }, ink, ratio, together), null)
  return drawn
}

describe('a curve', () => {
  it('in a chart of many points is several lines of one pixel', () => {
    expect(widths(149)).toEqual([1.6])
    expect(widths(150)).toEqual([1, 1, 1])
  })

  it('stays one line where it is exported, thinner or drawn with more pixels', () => {
    expect(widths(9000, { onScreen: false })).toEqual([1.6])
    expect(widths(9000, { restart: 3 })).toEqual([1])
    expect(widths(9000, { ratio: 2 })).toEqual([3.2])
  })
})
