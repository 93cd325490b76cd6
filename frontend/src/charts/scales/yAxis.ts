/**
 * One of a chart's y axes: its scale, the shown range, and the number of invisible values. Owned by a
 * LinePlot.
 */
import type { ChartGroup } from '../chartGroup'
import { Counts, countedAbove, countedBelow, countedRule, HIDDEN } from '../curves/counts'
import type { Line } from '../curves/plotLines'
import { rangeAround, robustExtent, union, yExtent, type Range } from './range'
import { linearPart, LINEAR, scaleOf, type Scale } from './scale'
import type { Ticks } from './ticks'
import type { ChartView } from '../view'

/** Lines use the left axis, unless they name the right one. */
export type Side = 'left' | 'right'

/** The number of points that the chart cannot show, and that its rules mark; null if not counted yet. */
export interface PlotCounts {
  /** Not above zero on a logarithmic axis. */
  hidden: number | null
  above: number | null
  below: number | null
  hits: readonly (number | null)[]
}

export const NOTHING_COUNTED: PlotCounts = { hidden: 0, above: 0, below: 0, hits: [] }

const both = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

/** The invisible points of both axes, and the rules of the left one. */
export function countsOf(left: PlotCounts, right: PlotCounts | null): PlotCounts {
  if (!right) return left
  return {
    hits: left.hits,
    hidden: both(left.hidden, right.hidden),
    above: both(left.above, right.above),
    below: both(left.below, right.below),
  }
}

export class YAxis {
  readonly side: Side
  scale: Scale = LINEAR
  /** The range in axis positions. */
  range: Range = { min: 0, max: 1 }
  /** Whether values may be outside the range; they are then shown by arrows. */
  clipped = false
  ticks: Ticks = { at: [], text: [] }
  counts: PlotCounts = NOTHING_COUNTED
  private readonly group: ChartGroup
  private readonly counter: Counts

  /** @param changed called when something was counted */
  constructor(side: Side, group: ChartGroup, changed: () => void) {
    this.side = side
    this.group = group
    this.counter = new Counts(changed)
  }

  /** The name under which the zoomed range of a chart's axis is kept. */
  keyOf(chart: string): string {
    return this.side === 'left' ? chart : `${chart}\u0000right`
  }

  /**
   * Finds the range and the scale: the zoomed range, the range of linked charts, the middle of the values, or all
   * values.
   * @param lines the lines of this axis
   * @param layers values covered by the layers behind them
   */
  place(chart: string, lines: readonly Line[], layers: Range | null, x: Range, view: ChartView): void {
    const curves = lines.flatMap(({ curve, smooth }) => (curve === smooth ? [curve] : [curve, smooth]))
    const kind = this.side === 'left' ? view.yScale : (view.rightScale ?? view.yScale)
    const all = union(yExtent(curves, x, scaleOf(kind === 'log' ? 'log' : 'linear')), layers)
    this.scale = scaleOf(kind, all ? linearPart(Math.max(Math.abs(all.min), Math.abs(all.max))) : 1)
    const middle = view.robust ? this.middle(lines, x) : null
    this.clipped = middle !== null
    const own = middle ?? all
    const linked = this.side === 'left' && view.yLink !== null ? view.yLink : null
    const shared = own && linked !== null ? this.group.link(linked, this, own) : own
    const zoomed = this.group.ys.value.get(this.keyOf(chart))
    if (zoomed) {
      this.clipped = true
      this.range = { min: this.scale.to(zoomed.min), max: this.scale.to(zoomed.max) }
    }
    if (!zoomed || !Number.isFinite(this.range.min + this.range.max)) this.range = rangeAround(shared, this.scale)
  }

  /** Counts exactly the invisible points and those that rules mark. */
  count(lines: readonly Line[], view: ChartView, zoomed: Range | null): void {
    const rules = this.side === 'left' ? view.rules : []
    const wanted = rules.map(countedRule)
    const log = this.scale.kind === 'log'
    if (log) wanted.push(HIDDEN)
    if (this.clipped)
      wanted.push(
        countedAbove(this.scale.from(this.range.max)),
        countedBelow(this.scale.from(this.range.min), log ? 0 : -Infinity),
      )
    this.counter.update(
      lines.map(({ spec, curve, series }) => ({ series: spec.series, curve, end: series.full.end })),
      view.x,
      zoomed,
      wanted,
    )
    const hits = [...this.counter.hits]
    const marked = hits.splice(0, rules.length)
    const hidden = log ? (hits.shift() ?? null) : 0
    const [above, below] = this.clipped ? [hits[0] ?? null, hits[1] ?? null] : [0, 0]
    this.counts = { hits: marked, hidden, above, below }
  }

  /** The value at a pixel from the top of a plot of this height. */
  valueAt(py: number, height: number): number {
    return this.scale.from(this.range.max - (py / Math.max(1, height)) * (this.range.max - this.range.min))
  }

  /** The values between two pixels from the top. */
  between(top: number, bottom: number, height: number): Range {
    return { min: this.valueAt(bottom, height), max: this.valueAt(top, height) }
  }

  /** Shows these values until the range is set again. */
  show({ min, max }: Range): void {
    this.range = { min: this.scale.to(min), max: this.scale.to(max) }
  }

  unlink(): void {
    this.group.unlink(this)
  }

  release(): void {
    this.unlink()
    this.counter.release()
  }

  /** The range of most values. Steps are a representative sample, whatever the x axis is. */
  private middle(lines: readonly Line[], x: Range): Range | null {
    const byStep = robustExtent(
      lines.map(({ plain, curve }) => plain ?? curve),
      x,
      this.scale,
    )
    return (
      byStep ??
      robustExtent(
        lines.map(({ curve }) => curve),
        x,
        this.scale,
      )
    )
  }
}
