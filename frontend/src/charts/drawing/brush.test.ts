import { describe, expect, it, vi } from 'vitest'

import { drawCurve, drawMoment, penOf } from './brush'
import { Curve } from '../curves/curve'
import type { Moment } from './moments'
import { LINEAR } from '../scales/scale'
import type { Ink } from './theme'

const ink: Ink = { colour: (css) => css, font: '10px sans-serif', rawAlpha: 0.3, oldAlpha: 0.5 }
const projection = { ax: 1, bx: 0, ay: 1, by: 0, x: LINEAR, y: LINEAR }
const spec = { colour: 'red', dash: [], restart: null }

/** Widths of the lines of a curve with three points, in a chart with this many points. */
function widths(together: number, changes: { onScreen?: boolean; ratio?: number; restart?: number } = {}): number[] {
  const { onScreen = true, ratio = 1, restart = null } = changes
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo = vi.fn()
      lineTo = vi.fn()
    },
  )
  const drawn: number[] = []
  const context = {
    ...(onScreen ? { canvas: {} } : {}),
    lineWidth: 0,
    beginPath: vi.fn(),
    moveTo: vi.fn(),
    lineTo: vi.fn(),
    setLineDash: vi.fn(),
    translate: vi.fn(),
    stroke: () => void drawn.push(context.lineWidth),
  }
  const curve = Object.assign(new Curve(), {
    x: Float64Array.of(0, 1, 2),
    y: Float64Array.of(0, 1, 0),
    smooth: Float64Array.of(0, 1, 0),
    length: 3,
  })
  drawCurve(
    context as unknown as CanvasRenderingContext2D,
    curve,
    { from: 0, to: 3 },
    projection,
    penOf({ ...spec, restart }, ink, ratio, together),
    null,
  )
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

describe('a moment', () => {
  const restart = { run: 1, name: 'a', colour: 'red', step: 5, wall: 5, origin: null }
  const change = { ...restart, change: { name: 'lr', before: 1, after: 2 } }
  const box = { top: 10, height: 100 }

  function drawn(...moments: Moment[]): { ticks: number; lines: [number, number][] } {
    const lines: [number, number][] = []
    const fillRect = vi.fn()
    const context = {
      fillRect,
      save: vi.fn(),
      restore: vi.fn(),
      setLineDash: vi.fn(),
      beginPath: vi.fn(),
      closePath: vi.fn(),
      fill: vi.fn(),
      stroke: vi.fn(),
      moveTo: (x: number, y: number) => lines.push([x, y]),
      lineTo: (x: number, y: number) => lines.push([x, y]),
    }
    drawMoment(context as unknown as CanvasRenderingContext2D, 40, box, { moments }, 'red', 1)
    return { ticks: fillRect.mock.calls.length, lines }
  }

  it('is a tick where a run began again', () => {
    expect(drawn(restart)).toEqual({ ticks: 1, lines: [] })
  })

  it('is a line from top to bottom where a setting was changed', () => {
    const { ticks, lines } = drawn(change)
    expect(ticks).toBe(0)
    expect(lines[0]).toEqual([40, 10])
    expect(Math.max(...lines.map(([, y]) => y))).toBeLessThanOrEqual(110)
    expect(drawn(restart, change)).toMatchObject({ ticks: 1, lines })
  })
})
