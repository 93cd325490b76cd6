/** The precomputed content of plots; reading a point returns the place that is drawn there. */
import { describe, expect, it } from 'vitest'

import { histogramOf } from './histogram'
import { cellsOf, makeScene, rowEdges, rowOf, valueInterval, VIEWS } from './scene'
import { along, gridEdges, ticksOf, valueAt } from './scale'
import { SvgPen } from './svgPen'
import { viewOf, wireHistogram } from '../testing'
import { DRAWERS } from './views'

const at = (step: number, changes = {}) => wireHistogram(step, changes)
const BROKEN = { left: [], width: [], count: [], error: { code: 'file_gone', message: 'gone', detail: {} } }

describe('an axis', () => {
  const log = { low: -1, high: 10, linearBelow: 0.001 }

  it.each([{ low: -2, high: 5 }, log])('finds the value of a place again (%o)', (interval) => {
    for (const value of [interval.low, -0.5, -0.0004, 0, 0.3, interval.high])
      expect(valueAt(interval, along(interval, value, 1))).toBeCloseTo(value, 9)
    const edges = gridEdges(interval, 7)
    expect([edges[0], edges[7]]).toEqual([interval.low, interval.high])
    edges.forEach((edge, k) => expect(along(interval, edge, 7)).toBeCloseTo(k, 9))
  })

  it('has powers of ten and zero as logarithmic ticks', () => {
    expect(ticksOf(log, 12).map(({ at: tick }) => tick)).toEqual([-1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10])
    expect(ticksOf(log, 5).map(({ text }) => text)).toContain('0')
  })
})

describe('a scene', () => {
  it('leaves out what cannot be read and knows what is not finite', () => {
    const frame = viewOf([at(0), at(10, BROKEN), at(20, { nan_count: 2 })])
    const scene = makeScene(frame, 'density', null)
    expect(scene.rows.map((one) => one.last)).toEqual([0, 20])
    expect([frame.total, frame.unreadable, [...frame.steps]]).toEqual([3, 1, [0, 20]])
    expect(scene.odd).toEqual([1])
    expect([scene.interval.low, scene.interval.high]).toEqual([-1, 2])
    expect([rowOf(scene.rows, 15), rowOf(scene.rows, null), rowOf(scene.rows, -1)]).toEqual([0, 1, -1])
  })

  it('writes heights as density, number and logarithm', () => {
    const frame = viewOf([at(0), at(10)], 3, 0, 2)
    expect([...makeScene(frame, 'count', null).heights[0]]).toEqual([10, 70, 20])
    expect([...makeScene(frame, 'density', null).heights[0]]).toEqual([
      expect.closeTo(0.1),
      expect.closeTo(0.7),
      expect.closeTo(0.2),
    ])
    expect([...makeScene(frame, 'log', null).heights[0]][1]).toBeCloseTo(Math.log10(71))
  })

  it('has the exact histogram of the cursor on the same grid', () => {
    const scene = makeScene(viewOf([at(0), at(10)], 3, 0, 2), 'count', histogramOf(at(10, { count: [1, 2, 3] })))
    expect([scene.exact?.row, [...(scene.exact?.heights ?? [])]]).toEqual([0, [1, 2, 3]])
    expect(makeScene(viewOf([at(5)]), 'count', histogramOf(at(1))).exact).toBeNull()
  })

  it('hands every element to a cell, along a logarithmic axis too', () => {
    const one = histogramOf(at(0, { left: [-1, 0, 0, 0.5, 2], width: [1, 0, 0.5, 1.5, 0], count: [7, 5, 3, 9, 4] }))
    for (const interval of [
      { low: -1, high: 2 },
      { low: -1, high: 2, linearBelow: 0.01 },
    ]) {
      for (const cells of [1, 6, 64]) {
        const counts = cellsOf(one, interval, cells, -1)
        expect(counts.reduce((sum, count) => sum + count, 0)).toBeCloseTo(28, 9)
        expect(cellsOf(one, interval, cells, 1).reduce((sum, count) => sum + count, 0)).toBeCloseTo(23, 9)
      }
    }
    expect([...cellsOf(one, { low: -1, high: 2 }, 3, -1)]).toEqual([7, expect.closeTo(11), expect.closeTo(10)])
  })

  it('divides the axis of steps half-way between neighbours', () => {
    const edges = (...steps: number[]) => [...rowEdges(makeScene(viewOf(steps.map((step) => at(step))), 'count', null))]
    expect(edges(0, 10, 40)).toEqual([-5, 5, 25, 55])
    expect(edges(7)).toEqual([6.5, 7.5])
  })

  it('is drawn even where no step has a finite value', () => {
    const none = { left: [], width: [], count: [], min: null, max: null, nan_count: 5 }
    const scene = makeScene(viewOf([at(0, none), at(1, none)], 4), 'density', null)
    expect(scene.peak).toBe(1)
    for (const view of VIEWS) expect(valueInterval(scene, view)).toMatchObject({ low: -1, high: 1 })
  })
})

describe.each(VIEWS)('the view %s', (view) => {
  const scene = makeScene(
    viewOf(
      [0, 10, 20, 50].map((step) => at(step, { count: [10 + step, 70, 20], nan_count: step === 20 ? 1 : 0 })),
      30,
    ),
    'density',
    null,
  )
  const drawer = DRAWERS[view]
  const behind = view === 'ridge' || view === 'offset'
  const box = drawer.box(scene, 400, 300, false)

  it('reads the row and value that it draws at a point', () => {
    for (const row of [0, 1, 2, 3]) {
      for (const value of [0.25, 0.55, 1.05]) {
        const { x, y } = drawer.point(scene, box, { row, value })
        // On a ridge a row is pointed at along its base line.
        const found = drawer.at(scene, box, x, behind ? drawer.point(scene, box, { row, value: -1 }).y + 18 : y)
        if (behind) expect(Math.abs(found.row - row)).toBeLessThanOrEqual(1)
        else expect(found.row).toBe(row)
        if (view !== 'offset' || found.row === row) expect(found.value).toBeCloseTo(value, 6)
      }
    }
  })

  it('stays inside its rows and values for points outside of the box', () => {
    for (const [x, y] of [
      [-50, -50],
      [900, 900],
    ]) {
      const found = drawer.at(scene, box, x, y)
      expect(found.row).toBeGreaterThanOrEqual(0)
      expect(found.row).toBeLessThan(4)
      expect(found.value).toBeGreaterThanOrEqual(valueInterval(scene, view).low)
      expect(found.value).toBeLessThanOrEqual(valueInterval(scene, view).high)
    }
  })

  it('is written as a drawing with its texts', () => {
    const pen = new SvgPen({ font: '', measureText: (text: string) => ({ width: 7 * text.length }) as TextMetrics })
    const ink = { colour: () => '#123456', font: '12px sans', rawAlpha: 1, oldAlpha: 1 }
    drawer.draw(pen, scene, box, {
      ink,
      colour: 'x',
      cursor: 2,
      step: 20,
      locale: 'en',
      height: 'density',
      guide: null,
      words: { step: 'step', odd: 'NaN' },
      bare: false,
    })
    const text = pen.drawing(400, 300, '#fff', 'a < b')
    const drawing = new DOMParser().parseFromString(text, 'text/xml')
    expect(drawing.querySelector('title')?.textContent).toBe('a < b')
    expect(drawing.querySelectorAll('path, rect').length).toBeGreaterThan(4)
    expect(text).toContain('✕')
    expect(text).not.toContain('NaN"')
  })
})
