/** The facts of a chart for its one-line summary and the chips in its head. Pure; LineChart.vue words them. */
import type { Columns } from '../../data/series/columns'
import type { SeriesRow } from '../../data/types'
import { byRun } from '../curves/parts'
import type { Range } from '../scales/range'
import { boundsOf, endsWithin, type PlottedSeries } from './readout'

export interface BestPoint {
  value: number
  step: number
  /** Name of the run. */
  run: string
}

export interface NotFinite {
  count: number
  /** The step of the first one; null if it is not among the held points. */
  step: number | null
  /** `nan` if all held ones are NaN, `inf` if none is, else `mixed`. */
  kind: 'nan' | 'inf' | 'mixed'
}

/** The direction of a curve at its end, and for how many steps. */
export interface Trend {
  way: 'rising' | 'falling' | 'level'
  steps: number
}

export interface Summary {
  runs: number
  points: number
  /** First and last finite value of a chart with one run. */
  first: number
  last: number
  /** The lowest and highest last value of all runs. */
  lastLow: number
  lastHigh: number
  best: BestPoint | null
  bestIs: 'min' | 'max'
  notFinite: NotFinite | null
  /** For a chart with one run; null if it has too few points. */
  trend: Trend | null
}

/** The values are averaged first, so that noise is not a turn; a turn needs this share of their range. */
const TREND_WEIGHT = 0.9
const TURN = 0.05
/** Share of a curve from which a flat end is mentioned. */
const LEVEL_SHARE = 0.3
const FEWEST = 20

type Sampled = Pick<Columns, 'step' | 'value' | 'sample' | 'length'>

/** The smoothed finite values of a representative sample, with their steps. */
function softened({ step, value, sample, length }: Sampled): { steps: number[]; soft: number[] } {
  const steps: number[] = []
  const soft: number[] = []
  let mean = NaN
  for (let row = 0; row < length; row++) {
    if (!Number.isFinite(value[row]) || (sample && row < sample.length && !sample[row])) continue
    mean = Number.isNaN(mean) ? value[row] : mean + (value[row] - mean) * (1 - TREND_WEIGHT)
    steps.push(step[row])
    soft.push(mean)
  }
  return { steps, soft }
}

/**
 * Whether a curve rises or falls at its end, and since when. It has turned if it went back by a twentieth of its range.
 * A long last part that changes by less is level.
 */
export function trendOf(columns: Sampled): Trend | null {
  const { steps, soft } = softened(columns)
  if (soft.length < FEWEST) return null
  const range =
    soft.reduce((most, one) => Math.max(most, one), -Infinity) -
    soft.reduce((least, one) => Math.min(least, one), Infinity)
  const last = soft.length - 1
  const flat = levelFrom(soft, TURN * range)
  if (last - flat >= LEVEL_SHARE * last) return { way: 'level', steps: steps[last] - steps[flat] }
  let low = last
  let high = last
  for (let at = last; at >= 0; at--) {
    if (soft[at] < soft[low]) low = at
    if (soft[at] > soft[high]) high = at
    // It went back this far from the extreme, so the curve turned there.
    const rose = soft[last] - soft[low]
    const fell = soft[high] - soft[last]
    if (rose > TURN * range && soft[at] > soft[low] + TURN * range && rose >= fell)
      return { way: 'rising', steps: steps[last] - steps[low] }
    if (fell > TURN * range && soft[at] < soft[high] - TURN * range && fell >= rose)
      return { way: 'falling', steps: steps[last] - steps[high] }
  }
  const rose = soft[last] - soft[low]
  const fell = soft[high] - soft[last]
  return rose > fell
    ? { way: 'rising', steps: steps[last] - steps[low] }
    : { way: 'falling', steps: steps[last] - steps[high] }
}

/** The start of the last part in which values stay within this range. */
function levelFrom(values: readonly number[], within: number): number {
  let low = Infinity
  let high = -Infinity
  let at = values.length - 1
  for (; at >= 0; at--) {
    low = Math.min(low, values[at])
    high = Math.max(high, values[at])
    if (high - low > within) break
  }
  return at + 1
}

const HIGHER_IS_BETTER =
  /(^|[/_.\-\s])(acc(uracy)?|auc|f1|precision|recall|m?ap|bleu|rouge|score|reward|return|psnr|ssim|dice|iou|top[-_]?[15]|throughput)/i

/** Whether a tag's name says that larger values are better. */
export function higherIsBetter(name: string): boolean {
  return HIGHER_IS_BETTER.test(name)
}

function firstFinite(value: Float64Array, length: number): number {
  for (let row = 0; row < length; row++) if (Number.isFinite(value[row])) return value[row]
  return NaN
}

function lastFinite(value: Float64Array, length: number): number {
  for (let row = length - 1; row >= 0; row--) if (Number.isFinite(value[row])) return value[row]
  return NaN
}

/** The first value of a run, in any segment; in a range, that of the part that begins first in it. */
function firstOf(parts: readonly PlottedSeries[], range: Range | null): number {
  if (range)
    return (
      [...parts]
        .sort(byStart)
        .map((part) => endsWithin(part, range).first)
        .find(Number.isFinite) ?? NaN
    )
  const firsts = parts.map(({ series: { full } }) => full).filter((full) => full.length)
  firsts.sort((a, b) => a.step[0] - b.step[0])
  return firsts.length ? firstFinite(firsts[0].value, firsts[0].length) : NaN
}

const byStart = (a: PlottedSeries, b: PlottedSeries): number => a.curve.x[0] - b.curve.x[0]
const byEnd = (a: PlottedSeries, b: PlottedSeries): number => b.curve.end - a.curve.end

/** The newest value of a run, in its newest segment; in a range, that of the part that ends last in it. */
function lastOf(parts: readonly PlottedSeries[], range: Range | null): number {
  if (range)
    return (
      [...parts]
        .sort(byEnd)
        .map((part) => endsWithin(part, range).last)
        .find(Number.isFinite) ?? NaN
    )
  const newest = parts
    .filter(({ spec, series }) => spec.restart === null && series.full.length)
    .map(({ series }) => series.full)
  newest.sort((a, b) => b.top - a.top)
  return newest.length ? lastFinite(newest[0].value, newest[0].length) : NaN
}

/** In the newest file of the newest segment. */
function trendOfRun(parts: readonly PlottedSeries[]): Trend | null {
  const newest = parts
    .filter(({ spec, series }) => spec.restart === null && series.full.length)
    .map(({ series }) => series.full)
  newest.sort((a, b) => b.top - a.top)
  return newest.length ? trendOf(newest[0]) : null
}

function best(plotted: readonly PlottedSeries[], highest: boolean, range: Range | null): BestPoint | null {
  let found: BestPoint | null = null
  for (const line of plotted) {
    const { min, minStep, max, maxStep } = boundsOf([line], range)
    const [value, step] = highest ? [max, maxStep] : [min, minStep]
    if (Number.isNaN(value) || (found && (highest ? value <= found.value : value >= found.value))) continue
    found = { value, step, run: line.spec.name }
  }
  return found
}

function notFinite(plotted: readonly PlottedSeries[], total: number): NotFinite | null {
  let held = 0
  let nans = 0
  let step = Infinity
  for (const { series } of plotted) {
    const { value, length } = series.full
    for (let row = 0; row < length; row++) {
      if (Number.isFinite(value[row])) continue
      held++
      if (Number.isNaN(value[row])) nans++
      step = Math.min(step, series.full.step[row])
    }
  }
  const count = Math.max(held, total)
  if (!count) return null
  const kind = nans === held ? 'nan' : nans === 0 ? 'inf' : 'mixed'
  return { count, step: step === Infinity ? null : step, kind: held ? kind : 'mixed' }
}

/**
 * Summarises a chart.
 * @param rows the server's statistics of the same series; its counts are exact if the held points are an envelope
 * @param range the zoomed range of x, of which first, last, and best values are then; null for all points
 */
export function summarise(
  name: string,
  plotted: readonly PlottedSeries[],
  rows: readonly SeriesRow[],
  range: Range | null = null,
): Summary {
  const runs = byRun(plotted)
  const lasts = runs.map((parts) => lastOf(parts, range)).filter(Number.isFinite)
  const highest = higherIsBetter(name)
  return {
    runs: runs.length,
    points: rows.reduce((sum, row) => sum + row.count, 0),
    first: runs.length === 1 ? firstOf(runs[0], range) : NaN,
    last: lasts.length ? lasts[lasts.length - 1] : NaN,
    lastLow: lasts.length ? Math.min(...lasts) : NaN,
    lastHigh: lasts.length ? Math.max(...lasts) : NaN,
    best: best(plotted, highest, range),
    bestIs: highest ? 'max' : 'min',
    notFinite: notFinite(
      plotted,
      rows.reduce((sum, row) => sum + row.notFinite, 0),
    ),
    trend: runs.length === 1 && !range ? trendOfRun(runs[0]) : null,
  }
}
