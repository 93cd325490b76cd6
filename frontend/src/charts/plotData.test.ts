import { describe, expect, it } from 'vitest'

import type { Columns } from '../data/series/columns'
import { decodeFrames } from '../data/frames'
import { HeldSeries } from '../data/series/seriesStore'
import type { SeriesRow } from '../data/types'
import { encodeFrame, type FrameInput } from '../data/testing/frames'
import { ChartGroup } from './chartGroup'
import { Curve, type CurveSettings } from './curves/curve'
import type { PlotSeries } from './curves/parts'
import { hasPoints, prefersLog, robustExtent, rowsWithin, wholeSteps, xExtent, yRange } from './scales/range'
import { loggedStepNear, nearestFirst, nearestPoint, readAt, sortReadings, type PlottedSeries } from './reading/readout'
import { LINEAR, LOG } from './scales/scale'
import { countNotFinite, describe as sentence, describeNotFinite, type Translate } from './reading/describe'
import { summarise } from './reading/summary'
import { NO_SMOOTHING } from './view'

function fill(columns: Columns, input: FrameInput): void {
  columns.replace(decodeFrames(encodeFrame({ dtype: 2, ...input }))[0], 600)
}

const flat: CurveSettings = { axis: 'step', smoothing: NO_SMOOTHING, origin: 0, span: 100 }
const ema = (amount: number): CurveSettings => ({ ...flat, smoothing: { kind: 'ema', amount } })

let runs = 0
/** A line of a separate run, unless the changes name one. */
function line(
  name: string,
  value: number[],
  step?: number[],
  weight = 0,
  changes: Partial<PlotSeries> = {},
): PlottedSeries {
  const series = new HeldSeries(1)
  fill(series.full, { value, step })
  const curve = new Curve()
  curve.update(series.full, ema(weight))
  const spec = {
    series: 1,
    run: ++runs,
    name,
    segment: 0,
    restart: null,
    origin: null,
    colour: 'var(--run-1)',
    dash: [],
    ...changes,
  }
  return { spec, series, whole: curve, curve, smooth: curve, smoothWhole: curve }
}

const row = (count: number, notFinite = 0): SeriesRow => ({
  run: 1,
  series: 1,
  segment: 0,
  name: 'loss',
  count,
  firstStep: 0,
  lastStep: 9,
  firstWall: 0,
  lastWall: 0,
  lastValue: 0,
  min: 0,
  max: 1,
  notFinite,
})

describe('a curve', () => {
  it('has steps, time since its start, or wall time as x', () => {
    const { series, curve } = line('a', [1, 2, 3])
    fill(series.full, { value: [1, 2, 3], wall: [100, 110, 130] })
    const x = (): number[] => [...curve.x.subarray(0, curve.length)]
    curve.update(series.full, { ...flat, axis: 'relative', origin: 100 })
    expect(x()).toEqual([0, 10, 30])
    curve.update(series.full, { ...flat, axis: 'wall' })
    expect(x()).toEqual([100, 110, 130])
  })

  it('takes in appended points and starts anew with another view', () => {
    const { series, curve } = line('a', [1, 1], [0, 1], 0.5)
    series.full.append(decodeFrames(encodeFrame({ first: 2, value: [3] }))[0])
    curve.update(series.full, ema(0.5))
    expect(curve.length).toBe(3)
    expect(curve.smooth[2]).toBeGreaterThan(1)
    fill(series.full, { value: [9] })
    curve.update(series.full, ema(0.5))
    expect([curve.length, curve.smooth[0]]).toEqual([1, 9])
  })
})

describe('ranges', () => {
  const { curve: one, series } = line('a', [5, 1, 9, NaN, 2], [0, 10, 20, 30, 40])
  const over = (axis: CurveSettings['axis']): Curve => {
    const curve = new Curve()
    curve.update(series.full, { ...flat, axis, origin: 1000 })
    return curve
  }

  it('cover all finite points', () => {
    expect(xExtent([over('step')])).toEqual({ min: 0, max: 40 })
    expect(xExtent([over('relative')])).toEqual({ min: 0, max: 40 })
    expect(xExtent([over('wall')])).toEqual({ min: 1000, max: 1040 })
    const { min, max } = yRange([one], { min: 0, max: 40 }, LINEAR)
    expect(min).toBeLessThan(1)
    expect(max).toBeGreaterThan(9)
  })

  it('cover only what the zoomed x range shows', () => {
    expect(yRange([one], { min: 0, max: 12 }, LINEAR).max).toBeLessThan(6)
  })

  it('cover the smoothed curve too, which may lag out of the measured range', () => {
    const { curve } = line('s', [100, 1, 1, 1, 1], [0, 10, 20, 30, 40], 0.9)
    expect(yRange([curve], { min: 15, max: 40 }, LINEAR).max).toBeGreaterThan(curve.smooth[2])
  })

  it('are not broken by infinities, by zeros on a logarithmic axis, or by nothing', () => {
    const odd = line('b', [Infinity, 2, -3, 0, 200]).curve
    expect(yRange([odd], { min: 0, max: 9 }, LINEAR).max).toBeLessThan(230)
    const { min, max } = yRange([odd], { min: 0, max: 9 }, LOG)
    expect([10 ** min, 10 ** max].map(Math.round)).toEqual([2, 252])
    expect(yRange([], { min: 0, max: 1 }, LINEAR)).toEqual({ min: 0, max: 1 })
    expect(xExtent([line('c', []).curve])).toBeNull()
    expect(xExtent([line('c', [4]).curve])).toEqual({ min: -0.5, max: 0.5 })
  })

  it('leave out outliers when asked, and never where there are few points', () => {
    const spiky = Array.from({ length: 300 }, (_, at) => (at % 100 === 50 ? 1e6 : at / 300))
    const { curve } = line('spikes', spiky)
    expect(robustExtent([curve], { min: 0, max: 300 }, LINEAR)).toEqual({ min: spiky[3], max: spiky[299] })
    expect(robustExtent([line('few', [1, 2, 3, 1e9]).curve], { min: 0, max: 9 }, LINEAR)).toBeNull()
    expect(robustExtent([line('same', new Array<number>(50).fill(3)).curve], { min: 0, max: 50 }, LINEAR)).toBeNull()
  })

  it('count for outliers only what an envelope has for its place', () => {
    const held = new HeldSeries(1)
    const step = Array.from({ length: 600 }, (_, at) => at)
    fill(held.full, { kind: 2, step, value: step.map((at) => (at % 6 === 3 ? 1000 : 1 + at / 1000)) })
    const curve = new Curve()
    curve.update(held.full, flat)
    held.full.sample = Uint8Array.from(step, (at) => (at % 6 === 3 ? 0 : 1))
    expect(robustExtent([curve], { min: 0, max: 600 }, LINEAR)?.max).toBeLessThan(2)
  })

  it('begin on a logarithmic axis with what is above zero', () => {
    const { curve } = line('l', [1, 2, 3, 4], [-5, 0, 10, 100])
    expect(xExtent([curve], LOG)).toEqual({ min: 10, max: 100 })
  })

  it('give a constant some room', () => {
    const { min, max } = yRange([line('c', [3, 3]).curve], { min: 0, max: 1 }, LINEAR)
    expect(min).toBeLessThan(3)
    expect(max).toBeGreaterThan(3)
  })

  it('take in a restart, where steps go back', () => {
    const { curve } = line('r', [1, 2, 3], [0, 50, 20])
    expect(xExtent([curve])).toEqual({ min: 0, max: 50 })
    expect(rowsWithin(curve, { min: 10, max: 15 })).toEqual({ from: 0, to: 3 })
    expect(curve.rowAt(30)).toBe(2)
  })

  it('are whole steps on axes of steps', () => {
    const range = { min: 658.6, max: 763.4 }
    expect(wholeSteps(range, 'step')).toEqual({ min: 659, max: 763 })
    expect(wholeSteps(range, 'wall')).toEqual(range)
    expect(wholeSteps({ min: 4.2, max: 4.9 }, 'relative-step')).toEqual({ min: 4, max: 5 })
  })

  it('may hold no point', () => {
    expect([
      hasPoints(one, { min: 11, max: 19 }),
      hasPoints(one, { min: 11, max: 20 }),
      hasPoints(one, { min: 50, max: 60 }),
    ]).toEqual([false, true, false])
  })

  it('draw one row more on either side', () => {
    expect(rowsWithin(one, { min: 15, max: 25 })).toEqual({ from: 0, to: 4 })
  })

  it('prefer a logarithmic axis for wide positive ranges only', () => {
    expect([
      prefersLog(0.03, 4),
      prefersLog(0.1, 0.9),
      prefersLog(0, 100),
      prefersLog(-1, 100),
      prefersLog(NaN, NaN),
    ]).toEqual([true, false, false, false, false])
  })
})

describe('readings', () => {
  const lines = [line('b', [3, 1, 2], [0, 10, 20]), line('a', [9, NaN], [0, 10]), line('c', [0.5], [50])]

  it('give the value at or before a place, and nothing outside a run', () => {
    expect(readAt(lines, 15).map((one) => [one.value, one.step])).toEqual([
      [1, 10],
      [NaN, NaN],
      [NaN, NaN],
    ])
    expect(readAt(lines, 10).map((one) => one.row)).toEqual([1, 1, -1])
  })

  it('give the newest value of each run without a place', () => {
    expect(readAt(lines, null).map((one) => one.value)).toEqual([2, NaN, 0.5])
  })

  it('come from the whole run outside of a zoomed view', () => {
    const one = line('a', [1, 2, 3, 4], [0, 10, 20, 30])
    one.curve = line('a', [2.5], [15]).curve
    expect([readAt([one], 15)[0].value, readAt([one], 30)[0].value, readAt([one], null)[0].value]).toEqual([2.5, 4, 4])
  })

  it('know the lowest value and its step', () => {
    expect(readAt(lines, null).map((one) => [one.min, one.minStep])).toEqual([
      [1, 10],
      [9, 0],
      [0.5, 50],
    ])
  })

  it('know the lowest and the highest value of the range shown, with their steps', () => {
    const one = line('a', [9, 3, NaN, 5, 4, 1], [0, 10, 20, 30, 40, 50])
    const bounds = (range: { min: number; max: number } | null): unknown[] => {
      const [{ min, minStep, max, maxStep }] = readAt([one], null, range)
      return [min, minStep, max, maxStep]
    }
    expect(bounds(null)).toEqual([1, 50, 9, 0])
    expect(bounds({ min: 10, max: 45 })).toEqual([3, 10, 5, 30])
    expect(bounds({ min: 31, max: 39 })).toEqual([NaN, NaN, NaN, NaN])
  })

  it('stand on logged steps only', () => {
    const two = [line('a', [1, 2, 3], [0, 10, 20]), line('b', [1, 2], [0, 14])]
    expect([6, 12, 13, 18, -5, 40].map((step) => loggedStepNear(two, step))).toEqual([10, 10, 14, 20, -5, 40])
    expect([6, 12.5, 90].map((x) => nearestPoint(two, x)?.step)).toEqual([10, 14, 20])
    expect(nearestPoint([], 6)).toBeNull()
  })

  it('come nearest to the pointer first', () => {
    const all = readAt(lines, 10)
    const far = new Map([
      ['a', 3],
      ['b', 7],
    ])
    expect(nearestFirst(all, (one) => far.get(one.spec.name) ?? null).map((one) => one.spec.name)).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(nearestFirst(all, () => null)).toEqual(all)
  })

  it('are sorted with NaN last, up and down', () => {
    const names = (down: boolean): string[] =>
      sortReadings(readAt(lines, null), 'value', down).map((one) => one.spec.name)
    expect(names(false)).toEqual(['c', 'b', 'a'])
    expect(names(true)).toEqual(['b', 'c', 'a'])
    expect(sortReadings(readAt(lines, null), 'name', false).map((one) => one.spec.name)).toEqual(['a', 'b', 'c'])
  })
})

describe('the sentence', () => {
  const say: Translate = (key, named) =>
    `${key} ${Object.entries(named)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`

  it('tells the course and the best point of one run', () => {
    const summary = summarise('loss', [line('a', [2.306, 0.5, 0.0391, NaN, 0.0418])], [row(5, 1)])
    expect(summary).toMatchObject({
      first: 2.306,
      last: 0.0418,
      bestIs: 'min',
      points: 5,
      best: { value: 0.0391, step: 2 },
    })
    expect(summary.notFinite).toEqual({ count: 1, step: 3, kind: 'nan' })
    expect(sentence(summary, say, 'en')).toBe(
      'charts.min course=charts.course first=2.31 last=0.0418 value=0.0391 step=2 run=a',
    )
    expect(describeNotFinite(summary.notFinite, say, 'en')).toBe('charts.oddAt what=charts.odd.nan n=1 step=3')
    expect(countNotFinite(summary.notFinite!, say, 'en')).toBe('charts.odd.nan n=1')
  })

  it('takes the highest point where more is better, and names the run', () => {
    const summary = summarise('accuracy/val', [line('a', [0.1, 0.9]), line('b', [0.2, 0.8])], [])
    expect(summary).toMatchObject({ bestIs: 'max', best: { value: 0.9, run: 'a' }, lastLow: 0.8, lastHigh: 0.9 })
    expect(sentence(summary, say, 'en')).toContain('charts.maxRun')
  })

  it('is of the zoomed range', () => {
    const one = line('a', [9, 4, NaN, 2, 5, 1], [0, 10, 20, 30, 40, 50])
    const other = line('b', [8, 3, 6], [0, 30, 60])
    expect(summarise('loss', [one], [], { min: 5, max: 45 })).toMatchObject({
      first: 4,
      last: 5,
      best: { value: 2, step: 30, run: 'a' },
      trend: null,
    })
    expect(summarise('loss', [one, other], [], { min: 5, max: 45 })).toMatchObject({
      lastLow: 3,
      lastHigh: 5,
      best: { value: 2, step: 30, run: 'a' },
    })
    expect(summarise('loss', [one], [], { min: 41, max: 49 }).best).toBeNull()
  })

  it('trusts the server where it counted more than is held', () => {
    const summary = summarise('loss', [line('a', [1, NaN, Infinity])], [row(10_000, 700)])
    expect(summary.notFinite).toEqual({ count: 700, step: 1, kind: 'mixed' })
  })

  it('never says that nothing changed where something did', () => {
    const one = summarise('loss', [line('a', [2_503_000_000, 2_503_100_000])], [])
    expect(sentence(one, say, 'en')).toContain('first=2.503G last=2.5031G')
    const two = summarise('loss', [line('a', [0.99991]), line('b', [0.99998])], [])
    expect(sentence(two, say, 'en')).toContain('low=0.99991 high=0.99998')
  })

  it('says so where nothing is finite', () => {
    expect(sentence(summarise('loss', [line('a', [NaN])], [row(1, 1)]), say, 'en')).toBe('charts.noNumbers ')
  })
})

describe('the group of charts', () => {
  it('never moves a zoomed view with live points', () => {
    const group = new ChartGroup()
    group.zoom({ min: 10, max: 20 })
    group.reach(30)
    expect(group.range.value).toEqual({ min: 10, max: 20 })
    expect(group.newest.value).toBe(30)
  })

  it('follows the newest point when asked, until zoomed again', () => {
    const group = new ChartGroup()
    group.reach(30)
    group.zoom({ min: 10, max: 20 })
    group.follow()
    expect(group.range.value).toEqual({ min: 20, max: 30 })
    group.reach(35)
    expect(group.range.value).toEqual({ min: 25, max: 35 })
    group.zoom({ min: 0, max: 5 })
    group.reach(50)
    expect(group.range.value).toEqual({ min: 0, max: 5 })
  })

  it('steps back to what was shown, whatever moved since', () => {
    const group = new ChartGroup()
    group.zoom({ min: 10, max: 20 })
    group.zoomBox({ min: 12, max: 14 }, [['loss', { min: 0, max: 1 }]])
    group.remember()
    for (let turn = 1; turn < 9; turn++) group.move({ min: 12 + turn, max: 14 + turn })
    group.stepBack()
    expect([group.range.value, group.ys.value.get('loss')]).toEqual([
      { min: 12, max: 14 },
      { min: 0, max: 1 },
    ])
    group.stepBack()
    expect([group.range.value, group.ys.value.size]).toEqual([{ min: 10, max: 20 }, 0])
    group.stepBack()
    expect(group.range.value).toBeNull()
    group.stepBack()
    expect(group.steps.value).toBe(0)
  })

  it('takes a range that an address rounded for the one it shows', () => {
    const group = new ChartGroup()
    group.zoom({ min: 1350.1987, max: 3370.4012 })
    expect([
      group.shows({ min: 1350.2, max: 3370.4 }),
      group.shows({ min: 1350.2, max: 3400 }),
      group.shows(null),
    ]).toEqual([true, false, false])
  })

  it('shares the range of values of linked charts', () => {
    const group = new ChartGroup()
    const [one, other] = [{}, {}]
    expect(group.link('a', one, { min: 0, max: 1 })).toEqual({ min: 0, max: 1 })
    expect(group.link('a', other, { min: -3, max: 0.5 })).toEqual({ min: -3, max: 1 })
    expect(group.link('b', {}, { min: 5, max: 6 })).toEqual({ min: 5, max: 6 })
    group.unlink(other)
    expect(group.link('a', one, { min: 0, max: 2 })).toEqual({ min: 0, max: 2 })
  })

  it('zooms in and out about the middle and ends at everything', () => {
    const group = new ChartGroup()
    const extent = { min: 0, max: 100 }
    group.zoomBy(2, extent)
    expect(group.range.value).toEqual({ min: 25, max: 75 })
    group.zoomBy(0.5, extent)
    expect(group.range.value).toBeNull()
  })
})
