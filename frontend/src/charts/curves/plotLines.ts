/** The lines of one chart and their curves, updated before each drawing. Owned by a LinePlot. */
import { Columns } from '../../data/series/columns'
import type { SeriesStore, StepRange, Watch } from '../../data/series/seriesStore'
import { Curve, type CurveSettings } from './curve'
import { fetchLens, LensHold, type Lens } from './lensViews'
import { byRun, bySegment, forks, predecessors, type Fork, type PlotSeries } from './parts'
import type { Range } from '../scales/range'
import type { PlottedSeries } from '../reading/readout'
import type { Scale } from '../scales/scale'
import { isTime, NO_SMOOTHING, tagOf, type ChartView, type Smoothing } from '../view'

export interface Line extends PlottedSeries {
  watch: Watch
  fine: Curve
  /** Curves of smoothed values from the server. */
  served: Curve
  servedFine: Curve
  /** The plain series by step, for an axis with views from the server; null if the plain series is drawn. */
  plain: Curve | null
  /** The server's views for other axes, and its smoothed values. */
  measured: LensHold | null
  averaged: LensHold | null
  /** The line that this line continues. */
  previous: Line | null
  /** The point at which it leaves an older segment. */
  fork: Fork<Line> | null
  /** First and last step of the whole curve, of which this line may be a part, and whether there are other parts. */
  span: number
  chained: boolean
  /** Version of the columns that were last painted. */
  painted: number
}

/** The presentation of lines in one drawing. */
export interface Look {
  view: ChartView
  /** Of x. */
  scale: Scale
  /** The zoomed range in units of x. */
  range: Range | null
  width: number
}

export class PlotLines {
  list: Line[] = []
  private readonly store: SeriesStore
  private readonly changed: () => void

  /** @param changed called when points of a line arrive */
  constructor(store: SeriesStore, changed: () => void) {
    this.store = store
    this.changed = changed
  }

  /** Sets other lines. Lines that stay keep their data. Superseded ones come first, because they are drawn below. */
  set(specs: readonly PlotSeries[], width: number): void {
    const old = new Map(this.list.map((line) => [line.spec.series, line]))
    const list = specs.map((spec) => {
      const line = old.get(spec.series)
      old.delete(spec.series)
      if (line) line.spec = spec
      return line ?? this.create(spec, width)
    })
    this.list = [
      ...list.filter(({ spec }) => spec.restart !== null),
      ...list.filter(({ spec }) => spec.restart === null),
    ]
    for (const line of old.values()) drop(line)
  }

  release(): void {
    for (const line of this.list) drop(line)
  }

  /** Updates all curves from their columns and requests missing views. */
  update(look: Look): void {
    const { view } = look
    this.measureChains()
    const firstSteps = this.firstSteps()
    for (const line of this.list) {
      this.store.smooth(line.spec.series, isServedPlainly(line, view) ? view.smoothing.amount : 0)
      this.lookThrough(line, look)
      this.updateWhole(line, view, firstSteps)
    }
    const before = predecessors(this.list)
    const leaving = forks(this.list)
    for (const line of this.list) {
      line.previous = before.get(line) ?? null
      line.fork = leaving.get(line) ?? null
    }
    // The predecessor of a line is updated first.
    const inOrder = before.size ? [...this.list].sort((a, b) => firstStep(a) - firstStep(b)) : this.list
    for (const line of inOrder) this.updateCurve(line, view, firstSteps)
  }

  /** Requests finer data if the view is narrower than the series. */
  refine({ range, view }: Look): void {
    for (const line of this.list) {
      const zoomed = range !== null && line.measured === null
      this.store.refine(line.spec.series, zoomed ? stepsInView(line, range, view) : null)
    }
  }

  /** Whether all data for a presentation has arrived or cannot arrive. */
  settled({ view, range }: Pick<Look, 'view' | 'range'>): boolean {
    return this.list.every((line) => {
      const { error, loaded, full, fine, smooth } = line.series
      if (!loaded) return error !== null
      const held = [line.measured, line.averaged].every((hold) => !hold || (range ? hold.fine : hold.whole) !== null)
      const refined = range === null || line.measured !== null || full.complete || fine !== null
      const served = full.complete || view.smoothing.amount === 0 || line.averaged !== null || smooth !== null
      return held && refined && served
    })
  }

  private create(spec: PlotSeries, width: number): Line {
    const watch = this.store.watch(spec.series, width, this.changed)
    const whole = new Curve()
    return {
      spec,
      watch,
      series: watch.series,
      whole,
      curve: whole,
      smooth: whole,
      smoothWhole: whole,
      fine: new Curve(),
      served: new Curve(),
      servedFine: new Curve(),
      plain: null,
      measured: null,
      averaged: null,
      previous: null,
      fork: null,
      span: 0,
      chained: false,
      painted: -1,
    }
  }

  /** The parts of a segment are smoothed as one curve, over all their steps. */
  private measureChains(): void {
    for (const parts of byRun(this.list).flatMap(bySegment)) {
      const held = parts.filter(({ series }) => series.full.length)
      const first = Math.min(...held.map(firstStep))
      const last = Math.max(...held.map(({ series }) => series.full.top))
      for (const line of parts) {
        line.chained = parts.length > 1
        line.span = held.length ? last - first : 0
      }
    }
  }

  private firstSteps(): Map<number, number> {
    const first = new Map<number, number>()
    for (const line of this.list)
      first.set(line.spec.run, Math.min(firstStep(line), first.get(line.spec.run) ?? Infinity))
    return first
  }

  /** Keeps the server's views for axes and smoothings that the browser cannot compute from its data. */
  private lookThrough(line: Line, { view, scale, range, width }: Look): void {
    const lens: Lens = { x: view.x, scale: scale.kind, linear: scale.linear, smoothing: NO_SMOOTHING }
    line.measured = this.hold(line, line.measured, isMeasuredThere(line, view), lens, range, width)
    line.averaged = this.hold(
      line,
      line.averaged,
      isAveragedThere(line, view),
      { ...lens, smoothing: view.smoothing },
      range,
      width,
    )
  }

  private hold(
    line: Line,
    held: LensHold | null,
    needed: boolean,
    lens: Lens,
    range: Range | null,
    width: number,
  ): LensHold | null {
    if (!needed) {
      held?.release()
      return null
    }
    const hold = held ?? new LensHold(fetchLens, this.changed)
    if (line.series.loaded) hold.update(line.series, lens, range, width)
    return hold
  }

  private updateWhole(line: Line, view: ChartView, firstSteps: Map<number, number>): CurveSettings {
    const { full, smooth } = line.series
    const served = smooth !== null || line.averaged !== null
    const settings = {
      axis: view.x,
      smoothing: served ? NO_SMOOTHING : view.smoothing,
      origin: originOf(line, view, firstSteps),
      span: line.span,
    }
    const columns = line.measured?.whole ?? (tagOf(view.x) === null ? full : NOTHING)
    line.whole.update(columns, settings, undefined, line.previous?.whole)
    line.plain = line.measured && tagOf(view.x) === null ? (line.plain ?? new Curve()) : null
    line.plain?.update(full, { ...settings, smoothing: NO_SMOOTHING })
    return settings
  }

  private updateCurve(line: Line, view: ChartView, firstSteps: Map<number, number>): void {
    const settings = this.updateWhole(line, view, firstSteps)
    const fine = line.measured ? line.measured.fine : line.series.fine
    line.curve = fine?.length ? line.fine : line.whole
    if (fine?.length) line.fine.update(fine, settings, line.whole, line.previous?.whole)
    line.smooth = line.curve
    line.smoothWhole = line.whole
    const smooth = line.averaged ? line.averaged.whole : line.series.smooth
    const smoothFine = line.averaged ? line.averaged.fine : line.series.smoothFine
    if (!smooth) return
    line.served.update(smooth, settings)
    line.smooth = line.smoothWhole = line.served
    if (!smoothFine?.length) return
    line.servedFine.update(smoothFine, settings)
    line.smooth = line.servedFine
  }
}

const NOTHING: Columns = new Columns()

function drop(line: Line): void {
  line.watch.release()
  line.measured?.release()
  line.averaged?.release()
}

/** Whether only the server can place a line's points on the axis. */
function isMeasuredThere({ series }: Line, view: ChartView): boolean {
  if (tagOf(view.x) !== null) return true
  return !series.full.complete && (isTime(view.x) || view.xScale !== 'linear')
}

/** Whether the server smooths a line for this axis. */
function isAveragedThere(line: Line, view: ChartView): boolean {
  const { amount, kind } = view.smoothing
  if (amount === 0) return false
  if (isMeasuredThere(line, view) || line.chained)
    return isMeasuredThere(line, view) || !isSmoothedHere(line, view.smoothing)
  return !line.series.full.complete && (kind !== 'ema' || view.x !== 'step')
}

/** Whether the store's own smoothed views do: the moving average of a long series over steps. */
function isServedPlainly(line: Line, view: ChartView): boolean {
  return view.smoothing.kind === 'ema' && !isAveragedThere(line, view)
}

/** With several files, a curve continues from one to the next here only as a moving average of complete files. */
function isSmoothedHere(line: Line, { kind }: Smoothing): boolean {
  return kind === 'ema' && line.series.full.complete && (line.previous?.series.full.complete ?? true)
}

function firstStep({ series: { full } }: Line): number {
  return full.length ? full.step[0] : Infinity
}

/** Step or wall time of zero for a line. */
function originOf({ spec, series: { full } }: Line, { x }: ChartView, firstSteps: Map<number, number>): number {
  if (x === 'relative-step') return spec.originStep ?? firstSteps.get(spec.run) ?? 0
  return spec.origin ?? (full.length ? full.wall[0] : 0)
}

/** The steps in a range of x, for views that are cut by steps. */
function stepsInView({ series, curve }: Line, range: Range, { x }: ChartView): StepRange | null {
  if (!curve.length) return series.range
  if (x === 'step' || x === 'relative-step') {
    return { from: Math.floor(range.min) + curve.origin, to: Math.ceil(range.max) + curve.origin }
  }
  const { step } = series.drawn
  const from = Math.max(0, curve.rowAt(range.min))
  const to = Math.min(curve.length - 1, curve.rowAt(range.max) + 1)
  return { from: step[from], to: Math.max(step[from], step[to]) }
}
