/**
 * The shared state of a page's charts: the zoomed ranges with their history, and the place under the pointer. Plain
 * listeners, because these change with every movement of the pointer.
 */
import { shallowRef } from 'vue'

import { union, type Range } from './scales/range'
import { LINEAR, type Scale } from './scales/scale'

/** Position of the pointer on the x axis of all charts. */
export type Hover = number | null

/** The zoomed ranges: x of all charts, and some y axes by the name of the chart. */
interface Zoomed {
  range: Range | null
  tail: boolean
  ys: ReadonlyMap<string, Range>
}

/** Ranges are equal if their edges differ by less than this share of the width, because addresses are rounded. */
const SAME = 1e-4
/** Number of stored steps back. */
const MOST_STEPS = 50

/**
 * The range after zooming: above 1 zooms in, below 1 zooms out; null if it shows everything.
 * @param at the place that stays fixed; default: the middle
 */
export function closer(now: Range, extent: Range, factor: number, scale: Scale, at?: number): Range | null {
  const [low, high] = [scale.to(now.min), scale.to(now.max)]
  const [least, most] = [scale.to(extent.min), scale.to(extent.max)]
  const middle = at === undefined ? (low + high) / 2 : scale.to(at)
  const from = Math.max(least, middle - (middle - low) / factor)
  const to = Math.min(most, middle + (high - middle) / factor)
  if (from <= least && to >= most) return null
  return from < to ? { min: scale.from(from), max: scale.from(to) } : now
}

export class ChartGroup {
  /** The zoomed range; null shows everything. Reactive: the toolbar and the address show it. */
  readonly range = shallowRef<Range | null>(null)
  /** With a zoomed range: keeps its end at the newest point. */
  readonly tail = shallowRef(false)
  /** The newest x of any chart, while zoomed. */
  readonly newest = shallowRef(-Infinity)
  /** Zoomed ranges of y by the name of the axis: for the left axis, the name of the chart. */
  readonly ys = shallowRef<ReadonlyMap<string, Range>>(new Map())
  /** The number of steps back. */
  readonly steps = shallowRef(0)
  hover: Hover = null
  private history: Zoomed[] = []
  private readonly onHover = new Set<(hover: Hover) => void>()
  private readonly onRange = new Set<() => void>()
  private readonly linked = new Map<string, Map<object, Range>>()

  setHover(hover: Hover): void {
    if (this.hover === hover) return
    this.hover = hover
    for (const listener of this.onHover) listener(hover)
  }

  /** Shows a range of x on all charts, and stores the previous one in the history. */
  zoom(range: Range | null, tail = false): void {
    this.remember()
    this.show({ range, tail: tail && range !== null, ys: range === null ? new Map() : this.ys.value })
  }

  /** Shows ranges of values on the named axes, all values on other axes, and a range of x on all charts. */
  zoomBox(x: Range | null, axes: Iterable<readonly [string, Range | null]>): void {
    this.remember()
    const ys = new Map(this.ys.value)
    for (const [axis, y] of axes) {
      if (y) ys.set(axis, y)
      else ys.delete(axis)
    }
    this.show({ range: x, tail: false, ys })
  }

  /** Moves the range without a history entry, as repeated dragging does; `remember` is called before the first move. */
  move(x: Range | null, axes: Iterable<readonly [string, Range]> = []): void {
    this.show({ range: x, tail: false, ys: new Map([...this.ys.value, ...axes]) })
  }

  /** Stores the current ranges in the history. */
  remember(): void {
    const now = { range: this.range.value, tail: this.tail.value, ys: this.ys.value }
    this.history = [...this.history.slice(1 - MOST_STEPS), now]
    this.steps.value = this.history.length
  }

  /** Shows the previous ranges. */
  stepBack(): void {
    let before = this.history.pop()
    while (before && this.isShown(before)) before = this.history.pop()
    this.steps.value = this.history.length
    if (before) this.show(before)
  }

  /** Zooms about the middle: above 1 in, below 1 out, at most to the extent of the chart. */
  zoomBy(factor: number, extent: Range, scale: Scale = LINEAR): void {
    this.zoom(closer(this.range.value ?? extent, extent, factor, scale))
  }

  /** A chart reports the end of its points. */
  reach(newest: number): void {
    if (newest <= this.newest.value) return
    this.newest.value = newest
    if (this.tail.value && this.range.value) this.show(this.atNewest(this.range.value))
  }

  /** Moves the zoomed range to the newest point and keeps it there. */
  follow(): void {
    const now = this.range.value
    if (!now) return
    this.remember()
    this.show(this.atNewest(now))
  }

  /** The axis or the data changed: the known extent and its ranges are invalid. */
  forgetReach(): void {
    this.newest.value = -Infinity
    this.history = []
    this.steps.value = 0
  }

  /**
   * The common range of values of charts with the same word.
   * @param own the range of this chart alone
   */
  link(word: string, chart: object, own: Range): Range {
    let charts = this.linked.get(word)
    if (!charts) this.linked.set(word, (charts = new Map()))
    const before = charts.get(chart)
    charts.set(chart, own)
    const all = [...charts.values()].reduce((sum, one) => union(sum, one) ?? one)
    if (before?.min !== own.min || before?.max !== own.max) queueMicrotask(() => this.tellRange())
    return all
  }

  /** Removes a chart from the linked ones. */
  unlink(chart: object): void {
    for (const charts of this.linked.values()) if (charts.delete(chart)) queueMicrotask(() => this.tellRange())
  }

  listen(hover: (hover: Hover) => void, range: () => void): () => void {
    this.onHover.add(hover)
    this.onRange.add(range)
    return () => {
      this.onHover.delete(hover)
      this.onRange.delete(range)
    }
  }

  /** Whether this range is shown, within the precision of an address. */
  shows(range: Range | null): boolean {
    const now = this.range.value
    if (!now || !range) return now === range
    const close = (now.max - now.min) * SAME
    return Math.abs(now.min - range.min) <= close && Math.abs(now.max - range.max) <= close
  }

  private isShown({ range, ys }: Zoomed): boolean {
    return ys === this.ys.value && this.shows(range)
  }

  private atNewest(now: Range): Zoomed {
    return {
      range: { min: this.newest.value - (now.max - now.min), max: this.newest.value },
      tail: true,
      ys: this.ys.value,
    }
  }

  private show({ range, tail, ys }: Zoomed): void {
    this.range.value = range
    this.tail.value = tail
    this.ys.value = ys
    this.tellRange()
  }

  private tellRange(): void {
    for (const listener of this.onRange) listener()
  }
}
