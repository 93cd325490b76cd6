/**
 * One chart of curves on a canvas: uPlot draws axes, grid and pixels, and we draw the curves, because each run has its
 * own steps. Vue never sees the data: LineChart.vue only passes what to draw and gets reports of what was painted.
 */
import UPlot from 'uplot'

import type { SeriesStore } from '../data/series/seriesStore'
import { closer, type ChartGroup } from './chartGroup'
import { AXIS_HEIGHT, AXIS_WIDTH, createFrame, PADDING_RIGHT, PADDING_TOP } from './drawing/frame'
import type { PlotLayer } from './drawing/layers'
import { dotsAt, Overlay } from './drawing/overlay'
import { drawPicture, type Projections, type Scene } from './drawing/picture'
import { reportPainted } from './curves/painted'
import { PlotLines, type Line, type Look } from './curves/plotLines'
import { listenToPointer, type Selection, type Spot } from './reading/pointer'
import { hasPoints, union, wholeSteps, xExtent, type Range } from './scales/range'
import {
  loggedStepNear,
  nearestPoint,
  placeOfStep,
  readAt,
  type PlotSeries,
  type PlottedSeries,
  type Reading,
} from './reading/readout'
import { useRedraw, type Redraw } from './drawing/redraw'
import { markAt, momentMarks, type Moment, type MomentMark } from './drawing/moments'
import { scaleOf, type Scale } from './scales/scale'
import { project, projectX, type Projection } from './drawing/strokes'
import { currentInk, onThemeChange } from './drawing/theme'
import { yTicks } from './scales/ticks'
import { XAxis } from './scales/xAxis'
import { PLAIN_VIEW, type ChartView } from './view'
import { countsOf, NOTHING_COUNTED, YAxis, type PlotCounts } from './scales/yAxis'

export interface Size {
  width: number
  height: number
}

export interface PlotSettings {
  /** Name of the chart, under which zoomed values of y are kept. */
  name: string
  view: ChartView
  /** The text of each rule, written on its band. */
  ruleWords: readonly string[]
  /** The product's step cursor; null follows the newest step. */
  cursor: number | null
  /** Titles of the y axes, if there are two. */
  axisNames?: { left: string; right: string } | null
}

export interface PlotActions {
  /** Data or range on the canvas changed. */
  painted(): void
  /** The pointer moved, here or on another chart. */
  hovered(): void
  /** A step was clicked. */
  picked(step: number): void
}

const WIDTH_STEP = 100
/** Distance from the foot of the plot in pixels within which the pointer selects the marks there. */
const FOOT = 24
/** Turns of the wheel within this many milliseconds count as one step. */
const ONE_TURN = 600

export class LinePlot {
  readonly host: HTMLElement
  private readonly group: ChartGroup
  private readonly actions: PlotActions
  private readonly redraw: Redraw
  private readonly uplot: UPlot
  private readonly begin: () => void
  private begun = false
  private size: Size
  private readonly overlay: Overlay
  private readonly endings: (() => void)[] = []
  private readonly lines: PlotLines
  private readonly left: YAxis
  private readonly right: YAxis | null
  private moments: readonly Moment[] = []
  private layers: readonly PlotLayer[] = []
  private marks: MomentMark[] = []
  private footPx: number | null = null
  private pointerPy: number | null = null
  private settings: PlotSettings = { name: '', view: PLAIN_VIEW, ruleWords: [], cursor: null }
  private readonly x = new XAxis()
  private selection: Selection | null = null
  private overlayFrame = 0
  private turned = -Infinity
  /** Data in the drawn range that cannot be seen or is marked. */
  counts: PlotCounts = NOTHING_COUNTED
  /** Whether the drawn range has no points although there are some elsewhere. */
  blank = false
  /** Whether anything was drawn yet. */
  ready = false

  /**
   * @param size size of the host in pixels: measuring it would cost one layout of the page per chart
   * @param twoAxes whether some lines have an axis at the right
   */
  constructor(
    host: HTMLElement,
    size: Size,
    store: SeriesStore,
    group: ChartGroup,
    actions: PlotActions,
    twoAxes = false,
  ) {
    this.host = host
    this.size = size
    this.group = group
    this.actions = actions
    this.redraw = useRedraw()
    this.lines = new PlotLines(store, () => this.request())
    const left = (this.left = new YAxis('left', group, () => this.request()))
    const right = (this.right = twoAxes ? new YAxis('right', group, () => this.request()) : null)
    const frame = createFrame(host, size, {
      x: () => ({ range: this.x.places, ticks: this.x.ticks }),
      y: () => left,
      ...(right ? { right: () => right } : {}),
      draw: (uplot) => this.paint(uplot),
    })
    this.uplot = frame.uplot
    this.begin = frame.begin
    this.overlay = new Overlay(this.uplot.over)
    this.endings.push(
      listenToPointer(this.uplot.over, {
        hover: (spot, fromFoot) => this.hover(spot, fromFoot),
        selecting: (selection) => this.select(selection),
        selected: (selection) => this.zoomTo(selection),
        pan: (by, first) => this.pan(by, first),
        wheel: (factor, px) => this.wheel(factor, px),
        click: (spot) => this.pick(spot.x),
        reset: () => group.zoom(null),
      }),
      group.listen(
        () => this.onHover(),
        () => this.request(),
      ),
      onThemeChange(() => this.request()),
    )
    this.redraw.add(this)
  }

  /** Sets other curves. Curves that stay keep their data. */
  setSeries(list: readonly PlotSeries[], moments: readonly Moment[] = [], layers: readonly PlotLayer[] = []): void {
    this.lines.set(list, this.pixelWidth())
    this.moments = moments
    this.layers = layers
    this.request()
  }

  setSettings(settings: PlotSettings): void {
    const before = this.settings
    this.settings = settings
    if (before.view.yLink !== settings.view.yLink) this.left.unlink()
    if (before.cursor !== settings.cursor) this.requestOverlay()
    if (JSON.stringify(before.view) !== JSON.stringify(settings.view)) this.request()
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1 || (width === this.size.width && height === this.size.height)) return
    this.size = { width, height }
    if (this.begun) this.uplot.setSize(this.size)
    this.request()
  }

  destroy(): void {
    cancelAnimationFrame(this.overlayFrame)
    this.redraw.remove(this)
    for (const end of this.endings) end()
    for (const axis of this.axes) axis.release()
    this.lines.release()
    this.uplot.destroy()
  }

  /** The curves' data. */
  get plotted(): readonly PlottedSeries[] {
    return this.lines.list
  }

  /** The mark under the pointer. */
  get pointedMoment(): MomentMark | null {
    return this.footPx === null ? null : markAt(this.marks, this.footPx)
  }

  /** Whether the drawing has all requested data. */
  get settled(): boolean {
    return this.ready && this.lines.settled({ view: this.settings.view, range: this.group.range.value })
  }

  /** The drawn scene, for exports. */
  get scene(): Scene {
    const { view, ruleWords } = this.settings
    const rules = view.rules.map((rule, at) => ({ rule, words: ruleWords[at] ?? '' }))
    return {
      lines: this.lines.list,
      layers: this.layers,
      moments: [],
      rules,
      x: this.x.range,
      left: this.left,
      right: this.right,
      axisNames: (this.right && this.settings.axisNames) ?? null,
    }
  }

  /** The zoomed range; null if everything is shown. */
  get zoomed(): Range | null {
    return this.group.range.value
  }

  get momentList(): readonly Moment[] {
    return this.moments
  }

  get scales(): { x: Scale; y: Scale } {
    return { x: this.x.scale, y: this.left.scale }
  }

  /** x from the first to the last point of all curves, zoomed or not. */
  extent(): Range | null {
    const curves = xExtent(
      this.lines.list.map(({ whole }) => whole),
      this.x.scale,
    )
    return this.layers.reduce((sum, layer) => union(sum, layer.xExtent()), curves)
  }

  /** The values at the pointer, else at the step cursor, else the newest values. */
  readings(): Reading[] {
    if (this.group.hover === null && this.settings.cursor === null) return readAt(this.plotted, null, this.zoomed)
    return this.readingsAtCursor()
  }

  /** The vertical distance of a reading's curve from the pointer in pixels; null if the pointer is elsewhere. */
  distanceTo({ smooth, row, spec }: Reading): number | null {
    if (this.pointerPy === null || row < 0) return null
    const { width, height } = this.box
    const py = project(this.projection(0, 0, width, height, this.axisOf(spec)), smooth)
    return Number.isFinite(py) ? Math.abs(py - this.pointerPy) : null
  }

  /** Zooms all charts about the middle. */
  zoomBy(factor: number): void {
    const extent = this.extent()
    if (extent) this.group.zoomBy(factor, extent, this.x.scale)
  }

  /** Moves the range by a share of its width. */
  panBy(share: number): void {
    if (this.group.range.value) this.pan({ x: -share * this.box.width, y: 0 }, true)
  }

  /** Draws now. Called by the scheduler only. */
  draw(): void {
    if (this.waits) return
    const { view } = this.settings
    this.x.rescale(
      view,
      this.lines.list.map(({ whole }) => whole),
    )
    const look: Look = { view, scale: this.x.scale, range: this.group.range.value, width: this.pixelWidth() }
    this.lines.update(look)
    const lines = this.lines.list
    const extent = this.extent()
    if (extent) this.group.reach(extent.max)
    this.x.place(this.group.range.value, extent, view)
    this.placeY()
    this.lines.refine(look)
    for (const axis of this.axes) axis.count(this.linesOf(axis), view, this.group.range.value)
    this.counts = countsOf(this.left.counts, this.right?.counts ?? null)
    this.layTicks()
    this.start()
    this.uplot.batch(() => {
      this.uplot.setScale('x', { ...this.x.places })
      this.uplot.setScale('y', { ...this.left.range })
      if (this.right) this.uplot.setScale('right', { ...this.right.range })
    })
    this.overlay.resize(this.box.width, this.box.height, UPlot.pxRatio)
    this.drawOverlay()
    this.blank = this.group.range.value !== null && !lines.some(({ curve }) => hasPoints(curve, this.x.range))
    this.ready ||= lines.some((line) => line.series.loaded)
    this.actions.painted()
    reportPainted(lines)
  }

  /** Whether no curve has data yet, so that numbers on axes would mean nothing. */
  private get waits(): boolean {
    const lines = this.lines.list
    return (
      !this.ready &&
      !this.layers.length &&
      lines.length > 0 &&
      !lines.some(({ series }) => series.loaded || series.error)
    )
  }

  private request(): void {
    this.redraw.request(this)
  }

  /** Width in device pixels, rounded up so that neighbours request together. */
  private pixelWidth(): number {
    const css = Math.max(WIDTH_STEP, this.size.width - AXIS_WIDTH - PADDING_RIGHT)
    return Math.ceil((css * Math.min(2, UPlot.pxRatio)) / WIDTH_STEP) * WIDTH_STEP
  }

  // --- ranges

  private get axes(): readonly YAxis[] {
    return this.right ? [this.left, this.right] : [this.left]
  }

  private linesOf(axis: YAxis): readonly Line[] {
    const { list } = this.lines
    return this.right ? list.filter(({ spec }) => this.axisOf(spec) === axis) : list
  }

  private axisOf(spec: PlotSeries): YAxis {
    return spec.side === 'right' && this.right ? this.right : this.left
  }

  private placeY(): void {
    const { name, view } = this.settings
    const scale = scaleOf(view.yScale === 'log' ? 'log' : 'linear')
    const layers = this.layers.reduce<Range | null>((sum, one) => union(sum, one.yExtent(this.x.range, scale)), null)
    for (const axis of this.axes)
      axis.place(name, this.linesOf(axis), axis === this.left ? layers : null, this.x.range, view)
  }

  private layTicks(): void {
    const tall = this.size.height - AXIS_HEIGHT - PADDING_TOP
    for (const axis of this.axes) axis.ticks = yTicks(axis.scale, axis.range.min, axis.range.max, tall)
    this.x.layTicks(this.size.width, this.left, this.right, this.settings.view)
  }

  private hover(spot: Spot | null, fromFoot: number): void {
    this.footPx = spot && fromFoot <= FOOT ? spot.x : null
    this.pointerPy = spot?.y ?? null
    const under = spot ? this.x.valueAt(spot.x, this.box.width) : null
    // Charts of summaries have no points of their own to stand on.
    const at = under === null ? null : (nearestPoint(this.lines.list, under)?.x ?? under)
    // A vertical movement only changes the selected mark at the foot.
    if (at === this.group.hover) this.actions.hovered()
    else this.group.setHover(at)
  }

  private zoomTo({ x, y }: Selection): void {
    this.selection = null
    const { name } = this.settings
    const xs = x
      ? wholeSteps(
          { min: this.x.valueAt(x[0], this.box.width), max: this.x.valueAt(x[1], this.box.width) },
          this.settings.view.x,
        )
      : this.group.range.value
    const { height } = this.box
    this.group.zoomBox(
      xs,
      this.axes.map((axis) => {
        const key = axis.keyOf(name)
        return [key, y ? axis.between(y[0], y[1], height) : (this.group.ys.value.get(key) ?? null)]
      }),
    )
  }

  private select(selection: Selection | null): void {
    this.selection = selection
    this.requestOverlay()
  }

  /** Drags the range: x if it is zoomed, y if that is zoomed. */
  private pan(by: Spot, first: boolean): void {
    if (first) this.group.remember()
    const { range, ys } = this.group
    const { width, height } = this.box
    const zoomed = this.axes.filter((axis) => ys.value.has(axis.keyOf(this.settings.name)))
    const moved = zoomed.map((axis) => [axis, axis.between(-by.y, height - by.y, height)] as const)
    this.group.move(
      range.value ? this.x.panned(by.x, width, this.extent() ?? this.x.range) : null,
      moved.map(([axis, y]) => [axis.keyOf(this.settings.name), y] as const),
    )
    // The next movement starts from here.
    this.x.range = range.value ?? this.x.range
    for (const [axis, y] of moved) axis.show(y)
  }

  private wheel(factor: number, px: number): void {
    const extent = this.extent()
    if (!extent) return
    if (performance.now() - this.turned > ONE_TURN) this.group.remember()
    this.turned = performance.now()
    this.group.move(
      closer(this.group.range.value ?? this.x.range, extent, factor, this.x.scale, this.x.valueAt(px, this.box.width)),
    )
  }

  /** The clicked step: the nearest step of any curve. */
  private pick(px: number): void {
    const x = this.x.valueAt(px, this.box.width)
    const point = nearestPoint(this.lines.list, x)
    if (point) this.actions.picked(point.step)
  }

  // --- drawing

  /** Maps data to the pixels of a box. */
  projection(
    left: number,
    top: number,
    width: number,
    height: number,
    { range, scale }: YAxis = this.left,
  ): Projection {
    const { min, max } = this.x.places
    const ax = width / (max - min)
    const ay = -height / (range.max - range.min)
    return { ax, bx: left - min * ax, ay, by: top - range.max * ay, x: this.x.scale, y: scale }
  }

  /** The same for both axes. */
  projections(left: number, top: number, width: number, height: number): Projections {
    return {
      left: this.projection(left, top, width, height),
      right: this.right && this.projection(left, top, width, height, this.right),
    }
  }

  private paint({ ctx, bbox }: UPlot): void {
    const projections = this.projections(bbox.left, bbox.top, bbox.width, bbox.height)
    const { width, height } = this.box
    this.marks = momentMarks(this.moments, this.settings.view.x, this.projection(0, 0, width, height), width)
    drawPicture(ctx, { ...this.scene, moments: this.marks }, bbox, projections, UPlot.pxRatio)
  }

  /** The inside of the frame in CSS pixels, known without a layout of the page. */
  private get box(): Size {
    const { width, height } = this.uplot.bbox
    return { width: Math.round(width / UPlot.pxRatio), height: Math.round(height / UPlot.pxRatio) }
  }

  private start(): void {
    if (this.begun) return
    this.begun = true
    this.begin()
    if (this.size.width !== this.uplot.width || this.size.height !== this.uplot.height) this.uplot.setSize(this.size)
  }

  // --- the layer above

  private onHover(): void {
    this.requestOverlay()
    this.actions.hovered()
  }

  private requestOverlay(): void {
    this.overlayFrame ||= requestAnimationFrame(() => this.drawOverlay())
  }

  /** The step cursor on a logged step of this chart. */
  get cursor(): number | null {
    const { cursor } = this.settings
    return cursor === null ? null : loggedStepNear(this.plotted, cursor)
  }

  private readingsAtCursor(): Reading[] {
    const { hover } = this.group
    if (hover !== null) return readAt(this.plotted, hover, this.zoomed)
    const { cursor } = this
    return cursor === null
      ? []
      : readAt(this.plotted, (line) => placeOfStep(line, cursor, this.settings.view.x), this.zoomed)
  }

  private drawOverlay(): void {
    this.overlayFrame = 0
    const { width, height } = this.box
    const projections = this.projections(0, 0, width, height)
    const projection = projections.left
    const on = ({ spec }: Reading): Projection => (spec.side === 'right' && projections.right) || projection
    const inside = (x: number | null): number | null => {
      const px = x === null ? NaN : projectX(projection, x)
      return px >= -0.5 && px <= width + 0.5 ? px : null
    }
    this.overlay.draw(
      {
        cursor: this.settings.view.x === 'step' ? inside(this.cursor) : null,
        hover: inside(this.group.hover),
        dots: this.readingsAtCursor().flatMap((reading) => dotsAt(reading, on(reading), width, height)),
        selection: this.selection,
      },
      currentInk(),
    )
  }
}
