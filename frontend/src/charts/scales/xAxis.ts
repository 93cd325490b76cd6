/** A chart's x axis: its scale for steps, times or values, and the shown range. Owned by a LinePlot. */
import type { Curve } from '../curves/curve'
import { AXIS_WIDTH, PADDING_RIGHT } from '../drawing/frame'
import { xExtent, type Range } from './range'
import { linearPart, LINEAR, scaleOf, type Scale } from './scale'
import { axisWidth, xTicks, type Ticks } from './ticks'
import { tagOf, type ChartView } from '../view'
import type { YAxis } from './yAxis'

export class XAxis {
  scale: Scale = LINEAR
  /** In data, not in axis positions. */
  range: Range = { min: 0, max: 1 }
  ticks: Ticks = { at: [], text: [] }

  /** Chooses the scale. Dates have no logarithm. */
  rescale({ x, xScale }: ChartView, curves: readonly Curve[]): void {
    const extent = tagOf(x) === null ? null : xExtent(curves)
    const linear = extent ? linearPart(Math.max(Math.abs(extent.min), Math.abs(extent.max))) : 1
    this.scale = x === 'wall' ? LINEAR : scaleOf(xScale, linear)
  }

  /** Shows the zoomed range, or everything. */
  place(zoomed: Range | null, extent: Range | null, { x }: ChartView): void {
    this.range = zoomed ?? this.whole(extent, x)
  }

  /** Computes the ticks for a chart of this width, between its y axes. */
  layTicks(width: number, left: YAxis, right: YAxis | null, { x }: ChartView): void {
    const atRight = right ? axisWidth(right.ticks, AXIS_WIDTH) : PADDING_RIGHT
    const plotWidth = width - axisWidth(left.ticks, AXIS_WIDTH) - atRight
    this.ticks = xTicks(x, this.places, plotWidth, PADDING_RIGHT, this.scale)
  }

  /** The shown range in axis positions. */
  get places(): Range {
    const { min, max } = this.range
    const from = this.scale.to(min)
    return { min: Number.isFinite(from) ? from : this.scale.to(max) - 3, max: this.scale.to(max) }
  }

  /** The value at a pixel of a plot of this width. */
  valueAt(px: number, width: number): number {
    const { min, max } = this.places
    return this.scale.from(min + (px / Math.max(1, width)) * (max - min))
  }

  /** The range moved by this many pixels, within the extent of the points. */
  panned(by: number, width: number, extent: Range): Range {
    const { min, max } = this.places
    const wanted = (-by / Math.max(1, width)) * (max - min)
    const shift = Math.max(
      Math.min(0, this.scale.to(extent.min) - min),
      Math.min(Math.max(0, this.scale.to(extent.max) - max), wanted),
    )
    return { min: this.scale.from(min + shift), max: this.scale.from(max + shift) }
  }

  /** The range that shows everything; it starts at zero if the first point is close to zero. */
  private whole(extent: Range | null, x: ChartView['x']): Range {
    const empty = this.scale.kind === 'log' ? { min: 1, max: 10 } : { min: 0, max: 1 }
    const { min, max } = extent ?? empty
    const nearZero = this.scale.kind !== 'log' && x !== 'wall' && min > 0 && min < (max - min) * 0.02
    return { min: nearZero ? 0 : min, max }
  }
}
