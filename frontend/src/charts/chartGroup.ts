/**
 * What the charts of a page share: the zoomed ranges with the way back, and the place under the pointer. Plain
 * listeners, because these change with every movement of the pointer.
 */
import { shallowRef } from 'vue'

import { union, type Range } from './scales/range'
import { LINEAR, type Scale } from './scales/scale'

/** Where the pointer is, on the x axis of all charts. */
export type Hover = number | null

/** What was zoomed: x of all charts, and some y axes, by their names: that of the chart. */
interface Zoomed {
  range: Range | null
  tail: boolean
  ys: ReadonlyMap<string, Range>
}

/** Ranges whose edges differ by less of their width are one: addresses are rounded. */
const SAME = 1e-4
/** Steps back that are kept. */
const MOST_STEPS = 50

/**
 * The range after zooming: above 1 closer, below 1 farther; null where that is everything.
 * @param at the place that stays where it is; the middle if left out
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
  /** With a zoomed range: its end stays at the newest point. */
  readonly tail = shallowRef(false)
  /** Newest x of any chart, while zoomed. */
  readonly newest = shallowRef(-Infinity)
  /** Zoomed values of y, by the name of the axis: of the left one that of the chart. */
  readonly ys = shallowRef<ReadonlyMap<string, Range>>(new Map())
  /** How many steps back there are. */
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

  /** Shows a range of x on all charts; the one before can be stepped back to. */
  zoom(range: Range | null, tail = false): void {
    this.remember()
    this.show({ range, tail: tail && range !== null, ys: range === null ? new Map() : this.ys.value })
  }

  /** Shows ranges of values on the axes named, all values on those without one, and a range of x on all charts. */
  zoomBox(x: Range | null, axes: Iterable<readonly [string, Range | null]>): void {
    this.remember()
    const ys = new Map(this.ys.value)
    for (const [axis, y] of axes) {
      if (y) ys.set(axis, y)
      else ys.delete(axis)
    }
    this.show({ range: x, tail: false, ys })
  }

  /** Moves what is shown without a step of its own, as dragging does many times; `remember` goes before the first. */
  move(x: Range | null, axes: Iterable<readonly [string, Range]> = []): void {
    this.show({ range: x, tail: false, ys: new Map([...this.ys.value, ...axes]) })
  }

  /** Keeps what is shown now as a step to go back to. */
  remember(): void {
    const now = { range: this.range.value, tail: this.tail.value, ys: this.ys.value }
    this.history = [...this.history.slice(1 - MOST_STEPS), now]
    this.steps.value = this.history.length
  }

  /** Shows what was shown before. */
  stepBack(): void {
    let before = this.history.pop()
    while (before && this.isShown(before)) before = this.history.pop()
    this.steps.value = this.history.length
    if (before) this.show(before)
  }

  /** Zooms about the middle: above 1 closer, below 1 farther, never beyond what a chart of this extent shows. */
  zoomBy(factor: number, extent: Range, scale: Scale = LINEAR): void {
    this.zoom(closer(this.range.value ?? extent, extent, factor, scale))
  }

  /** A chart says up to where its points go. */
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

  /** The axis or the data changed: nothing known about its extent holds, nor do ranges of it. */
  forgetReach(): void {
    this.newest.value = -Infinity
    this.history = []
    this.steps.value = 0
  }

  /**
   * The range of values that charts with the same word share: all of theirs together.
   * @param own what this chart would show alone
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

  /** A chart is linked with others no more. */
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

  /** Whether this is the range that is shown, as far as an address tells. */
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
