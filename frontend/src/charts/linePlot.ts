/**
 * One chart of curves on a canvas: uPlot for axes, grid and pixels, own strokes for the curves, because each run has
 * its own steps. Vue never sees the data: LineChart.vue only hands over what to draw and is told what was painted.
 */
import UPlot from 'uplot'

import type { SeriesStore, StepRange } from '../data/seriesStore'
import type { ChartGroup } from './chartGroup'
import { AXIS_HEIGHT, AXIS_WIDTH, createFrame, PADDING_RIGHT, PADDING_TOP } from './frame'
import { dotsAt, Overlay } from './overlay'
import { drawPicture } from './picture'
import { PlotLines, type Line } from './plotLines'
import { listenToPointer } from './pointer'
import { hasPoints, yRange, type Range } from './range'
import { readAt, type PlotSeries, type PlottedSeries, type Reading } from './readout'
import { useRedraw, type Redraw } from './redraw'
import { markAt, restartMarks, type Restart, type RestartMark } from './restarts'
import type { Projection } from './strokes'
import { currentInk, onThemeChange } from './theme'
import { axisWidth, xTicks, yTicks, type Ticks } from './ticks'
import { PLAIN_VIEW, type ChartView } from './view'

export interface PlotSettings {
  view: ChartView
  /** The step cursor of the product; null follows the newest step. */
  cursor: number | null
}

export interface PlotActions {
  /** Data or range on the canvas changed. */
  painted(): void
  /** The pointer moved, here or on another chart. */
  hovered(): void
  /** A step was clicked. */
  picked(step: number): void
}

declare global {
  interface Window {
    /** Called after a chart painted the newest point of a series; set by whoever measures delays. */
    __mindinsightPainted?: (series: number, step: number) => void
  }
}

const WIDTH_STEP = 100
/** So near to the foot of the plot, in pixels, the pointer means the marks there. */
const FOOT = 24

export class LinePlot {
  readonly host: HTMLElement
  private readonly store: SeriesStore
  private readonly group: ChartGroup
  private readonly actions: PlotActions
  private readonly redraw: Redraw
  private readonly uplot: UPlot
  private readonly overlay: Overlay
  private readonly endings: (() => void)[] = []
  private readonly lines: PlotLines
  private restarts: readonly Restart[] = []
  private marks: RestartMark[] = []
  private footPx: number | null = null
  private settings: PlotSettings = { view: PLAIN_VIEW, cursor: null }
  private xTicks: Ticks = { at: [], text: [] }
  private yTicks: Ticks = { at: [], text: [] }
  private x: Range = { min: 0, max: 1 }
  private y: Range = { min: 0, max: 1 }
  private selection: [number, number] | null = null
  private overlayFrame = 0
  /** Points on a logarithmic axis that have no place there, in the range drawn. */
  hidden = 0
  /** Whether the range drawn holds no point although there are some elsewhere. */
  blank = false
  /** Whether anything was drawn yet. */
  ready = false

  constructor(host: HTMLElement, store: SeriesStore, group: ChartGroup, actions: PlotActions) {
    this.host = host
    this.store = store
    this.group = group
    this.actions = actions
    this.redraw = useRedraw()
    this.lines = new PlotLines(store, () => this.request())
    this.uplot = createFrame(host, {
      x: () => ({ range: this.x, ticks: this.xTicks }),
      y: () => ({ range: this.y, ticks: this.yTicks }),
      draw: (uplot) => this.paint(uplot),
    })
    this.overlay = new Overlay(this.uplot.over)
    this.resizeOverlay()
    this.endings.push(
      listenToPointer(this.uplot.over, {
        hover: (px, fromFoot) => this.hover(px, fromFoot),
        selecting: (range) => this.select(range),
        selected: (range) => this.zoomTo(range),
        click: (px) => this.pick(px),
        reset: () => group.zoom(null),
      }),
      group.listen(() => this.onHover(), () => this.request()),
      onThemeChange(() => this.request()),
    )
    this.redraw.add(this)
  }

  /** Puts other curves on the chart; those that stay keep their data. */
  setSeries(list: readonly PlotSeries[], restarts: readonly Restart[] = []): void {
    this.lines.set(list, this.pixelWidth())
    this.restarts = restarts
    this.request()
  }

  setSettings(settings: PlotSettings): void {
    const before = this.settings
    this.settings = settings
    if (before.cursor !== settings.cursor) this.requestOverlay()
    if (JSON.stringify(before.view) !== JSON.stringify(settings.view)) this.request()
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1 || (width === this.uplot.width && height === this.uplot.height)) return
    this.uplot.setSize({ width, height })
    this.request()
  }

  destroy(): void {
    cancelAnimationFrame(this.overlayFrame)
    this.redraw.remove(this)
    for (const end of this.endings) end()
    this.lines.release()
    this.uplot.destroy()
  }

  /** The curves' data. */
  get plotted(): readonly PlottedSeries[] {
    return this.lines.list
  }

  /** The mark of a restart that the pointer means. */
  get pointedRestart(): RestartMark | null {
    return this.footPx === null ? null : markAt(this.marks, this.footPx)
  }

  /** The range drawn. */
  get range(): Range {
    return this.x
  }

  /** x from the first to the last point of all curves, zoomed or not. */
  extent(): Range | null {
    return this.lines.extent(this.settings.view.x)
  }

  /** The values at the pointer, else at the step cursor, else the newest ones. */
  readings(): Reading[] {
    if (this.group.hover === null && this.settings.cursor === null) return readAt(this.plotted, null)
    return this.readingsAtCursor()
  }

  /** Draws now. Called by the scheduler only. */
  draw(): void {
    this.lines.update(this.settings.view.x, this.settings.view.smoothing.amount)
    const lines = this.lines.list
    const curves = lines.flatMap(({ curve, smooth }) => (curve === smooth ? [curve] : [curve, smooth]))
    const extent = this.extent()
    if (extent) this.group.reach(extent.max)
    this.x = this.group.range.value ?? this.whole(extent)
    this.y = yRange(curves, this.x, (this.settings.view.yScale === 'log'))
    this.refine()
    this.layTicks()
    this.uplot.batch(() => {
      this.uplot.setScale('x', { ...this.x })
      this.uplot.setScale('y', { ...this.y })
    })
    this.resizeOverlay()
    this.drawOverlay()
    this.blank = this.group.range.value !== null && !lines.some(({ curve }) => hasPoints(curve, this.x))
    this.ready ||= lines.some((line) => line.series.loaded)
    this.actions.painted()
    this.tellPainted()
  }

  private request(): void {
    this.redraw.request(this)
  }

  /** Device pixels across, rounded up so that neighbours ask together. */
  private pixelWidth(): number {
    const css = Math.max(WIDTH_STEP, this.uplot.width - AXIS_WIDTH - PADDING_RIGHT)
    return Math.ceil((css * Math.min(2, UPlot.pxRatio)) / WIDTH_STEP) * WIDTH_STEP
  }

  // --- ranges

  /** The range that shows everything: from zero where the first point lies next to it. */
  private whole(extent: Range | null): Range {
    const { min, max } = extent ?? { min: 0, max: 1 }
    const nearZero = this.settings.view.x !== 'wall' && min > 0 && min < (max - min) * 0.02
    return { min: nearZero ? 0 : min, max }
  }

  /** Asks for finer data where the view is narrower than the series. */
  private refine(): void {
    const zoomed = this.group.range.value !== null
    for (const line of this.lines.list) this.store.refine(line.spec.series, zoomed ? this.stepsInView(line) : null)
  }

  private stepsInView({ series, curve }: Line): StepRange | null {
    if (!curve.length) return series.range
    if (this.settings.view.x === 'step') {
      return { from: Math.floor(this.x.min), to: Math.ceil(this.x.max) }
    }
    const { step } = series.drawn
    const from = Math.max(0, curve.rowAt(this.x.min))
    const to = Math.min(curve.length - 1, curve.rowAt(this.x.max) + 1)
    return { from: step[from], to: Math.max(step[from], step[to]) }
  }

  private layTicks(): void {
    const { width, height } = this.uplot
    this.yTicks = yTicks((this.settings.view.yScale === 'log'), this.y.min, this.y.max, height - AXIS_HEIGHT - PADDING_TOP)
    const plotWidth = width - axisWidth(this.yTicks, AXIS_WIDTH) - PADDING_RIGHT
    this.xTicks = xTicks(this.settings.view.x, this.x, plotWidth, PADDING_RIGHT)
  }

  private valueAt(px: number): number {
    return this.x.min + (px / Math.max(1, this.uplot.over.clientWidth)) * (this.x.max - this.x.min)
  }

  private hover(px: number | null, fromFoot: number): void {
    this.footPx = fromFoot <= FOOT ? px : null
    const at = px === null ? null : this.valueAt(px)
    // Straight up or down nothing is read anew but the marks at the foot.
    if (at === this.group.hover) this.actions.hovered()
    else this.group.setHover(at)
  }

  private zoomTo([from, to]: [number, number]): void {
    this.selection = null
    this.group.zoom({ min: this.valueAt(from), max: this.valueAt(to) })
  }

  private select(range: [number, number] | null): void {
    this.selection = range
    this.requestOverlay()
  }

  /** The clicked step: the nearest one that any curve has. */
  private pick(px: number): void {
    const x = this.valueAt(px)
    let best: number | null = null
    let distance = Infinity
    for (const { curve, series } of this.lines.list) {
      const row = curve.nearest(x)
      if (row < 0 || Math.abs(curve.x[row] - x) >= distance) continue
      distance = Math.abs(curve.x[row] - x)
      best = series.drawn.step[row]
    }
    if (best !== null) this.actions.picked(best)
  }

  // --- drawing

  private projection(left: number, top: number, width: number, height: number): Projection {
    const ax = width / (this.x.max - this.x.min)
    const ay = -height / (this.y.max - this.y.min)
    return { ax, bx: left - this.x.min * ax, ay, by: top - this.y.max * ay, log: (this.settings.view.yScale === 'log') }
  }

  private paint({ ctx, bbox }: UPlot): void {
    const projection = this.projection(bbox.left, bbox.top, bbox.width, bbox.height)
    const { clientWidth, clientHeight } = this.uplot.over
    this.marks = restartMarks(this.restarts, this.settings.view.x, this.projection(0, 0, clientWidth, clientHeight), clientWidth)
    this.hidden = drawPicture(ctx, this.lines.list, this.marks, this.x, bbox, projection, UPlot.pxRatio)
  }

  private resizeOverlay(): void {
    const { clientWidth, clientHeight } = this.uplot.over
    const canvas = this.overlay.canvas
    if (canvas.style.width === `${clientWidth}px` && canvas.style.height === `${clientHeight}px`) return
    this.overlay.resize(clientWidth, clientHeight, UPlot.pxRatio)
  }

  // --- the layer above

  private onHover(): void {
    this.requestOverlay()
    this.actions.hovered()
  }

  private requestOverlay(): void {
    this.overlayFrame ||= requestAnimationFrame(() => this.drawOverlay())
  }

  /** Where the step cursor is on this line's x axis; infinitely far off before the first and behind the last point. */
  private cursorOf({ series, whole }: PlottedSeries): number | null {
    const { cursor, view: { x: axis } } = this.settings
    if (cursor === null || axis === 'step') return cursor
    const row = series.full.rowAt(cursor)
    if (row < 0) return -Infinity
    return cursor > series.full.top ? Infinity : whole.x[row]
  }

  private readingsAtCursor(): Reading[] {
    const { hover } = this.group
    if (hover !== null) return readAt(this.plotted, hover)
    if (this.settings.cursor === null) return []
    return readAt(this.plotted, (line) => this.cursorOf(line))
  }

  private drawOverlay(): void {
    this.overlayFrame = 0
    const { clientWidth, clientHeight } = this.uplot.over
    const projection = this.projection(0, 0, clientWidth, clientHeight)
    const inside = (x: number | null): number | null => {
      const px = x === null ? NaN : x * projection.ax + projection.bx
      return px >= -0.5 && px <= clientWidth + 0.5 ? px : null
    }
    const { hover } = this.group
    const { cursor, view: { x: axis } } = this.settings
    this.overlay.draw(
      {
        cursor: axis === 'step' ? inside(cursor) : null,
        hover: inside(hover),
        dots: this.readingsAtCursor().flatMap((reading) => dotsAt(reading, projection, clientWidth, clientHeight)),
        selection: this.selection,
      },
      currentInk(),
    )
  }

  private tellPainted(): void {
    const tell = window.__mindinsightPainted
    for (const line of this.lines.list) {
      const { full } = line.series
      if (line.painted === full.version) continue
      line.painted = full.version
      if (tell && full.length) tell(line.spec.series, full.step[full.length - 1])
    }
  }
}
