/**
 * The columns of all series in use: first a view over HTTP, then live points, a refined view for zoomed charts, and
 * smoothed views of long series. Plain classes and callbacks, so that no framework observes big arrays. Used by charts
 * and sparks (`series.ts`, `charts/`).
 */
import { Columns } from './columns'
import type { Frame } from '../frames'
import { SmoothedViews } from './smoothedViews'
import { ViewRequests, type StepRange } from './viewRequests'
import type { ApiProblem } from '../types'

export type { StepRange } from './viewRequests'

/** The methods of the live connection that the store needs. */
export interface LiveFeed {
  follow(series: number, next: number): () => void
  moveTo(series: number, next: number): void
}

/** A user's hold on a series; `release` ends it. */
export interface Watch {
  readonly series: HeldSeries
  release(): void
}

/** The wheel moves the range with every turn, so after the first request the server is asked only after a pause. */
export const REFINE_AFTER = 60
/** Number of points appended to a view, in widths of the view, after which it is fetched again. */
const GROWTH = 4
/** Number of unused series that are kept, so that scrolling back draws at once. */
const KEPT = 48

export class HeldSeries {
  readonly number: number
  readonly full = new Columns()
  /** The refined view of the zoomed range, if it is needed. */
  fine: Columns | null = null
  /** The server's smoothed views, of the whole series and of the zoomed range; null if the browser has every point. */
  smooth: Columns | null = null
  smoothFine: Columns | null = null
  range: StepRange | null = null
  width = 0
  loaded = false
  error: ApiProblem | null = null

  constructor(number: number) {
    this.number = number
  }

  /** The columns to draw: the refined ones if available. */
  get drawn(): Columns {
    return this.fine?.length ? this.fine : this.full
  }
}

interface Entry {
  series: HeldSeries
  users: Set<() => void>
  unfollow: (() => void) | null
  fetching: boolean
  /** Grows when running requests are no longer needed. */
  epoch: number
  /** Requested while another request was running. */
  again: boolean
  fineRequest: number
}

export class SeriesStore {
  private readonly entries = new Map<number, Entry>()
  private readonly live: LiveFeed
  private readonly views: ViewRequests
  private readonly smoothed: SmoothedViews
  private refineTimer: ReturnType<typeof setTimeout> | undefined
  /** Time when ranges last moved. */
  private moved = -Infinity
  private readonly toRefine = new Set<Entry>()

  constructor(live: LiveFeed, views: ViewRequests = new ViewRequests()) {
    this.live = live
    this.views = views
    this.smoothed = new SmoothedViews(views)
  }

  /**
   * Watches a series.
   * @param width width of the drawing in pixels; the largest request counts
   * @param changed called on every change, at the rate of the wire: schedule a drawing in it, do not draw
   */
  watch(number: number, width: number, changed: () => void): Watch {
    const entry = this.entries.get(number) ?? this.create(number)
    // Inserted again, because the map's order is the order of last use.
    this.entries.delete(number)
    this.entries.set(number, entry)
    entry.users.add(changed)
    this.widen(entry, width)
    return {
      series: entry.series,
      release: () => {
        if (entry.users.delete(changed) && entry.users.size === 0) this.idle(entry)
      },
    }
  }

  /** A held series, without subscribing to it. */
  peek(number: number): HeldSeries | undefined {
    return this.entries.get(number)?.series
  }

  /** All series in use. */
  *watched(): Generator<HeldSeries> {
    for (const entry of this.entries.values()) if (entry.users.size) yield entry.series
  }

  /** Requests a finer view of a range of steps (null: the full view is enough). */
  refine(number: number, range: StepRange | null): void {
    const entry = this.entries.get(number)
    if (!entry || sameRange(entry.series.range, range)) return
    entry.series.range = range
    if (range === null || entry.series.full.complete) {
      this.dropFine(entry)
      return
    }
    this.refineSoon(entry)
  }

  /**
   * Requests smoothed views of this weight for a long series (0: none). Held ones stay until the new ones arrive.
   */
  smooth(number: number, weight: number): void {
    const entry = this.entries.get(number)
    if (entry?.series.loaded)
      this.smoothed.want(entry.series, weight, () => entry.users.forEach((changed) => changed()))
  }

  /** Handles live frames, in the order of the wire. */
  receive(frames: Frame[]): void {
    for (const frame of frames) {
      const entry = this.entries.get(frame.series)
      if (entry) this.append(entry, frame)
    }
  }

  /** The server reports that too many points wait for a live channel. */
  refetch(numbers: number[]): void {
    for (const number of numbers) {
      const entry = this.entries.get(number)
      if (entry) this.fetch(entry)
    }
  }

  /** Repeats failed fetches. */
  retry(): void {
    for (const entry of this.entries.values()) if (entry.series.error) this.fetch(entry)
  }

  /** These series do not exist any more. */
  remove(numbers: number[]): void {
    for (const number of numbers) {
      const entry = this.entries.get(number)
      if (!entry) continue
      this.empty(entry)
      entry.users.forEach((changed) => changed())
      this.forget(entry)
    }
  }

  /** The server's store was rebuilt: all held data is invalid, and series in use are fetched again. */
  restart(): void {
    for (const entry of [...this.entries.values()]) {
      this.empty(entry)
      entry.series.loaded = false
      entry.epoch++
      entry.fineRequest++
      if (entry.users.size) this.fetch(entry)
      else this.forget(entry)
    }
  }

  private empty({ series }: Entry): void {
    series.full.clear()
    series.fine = null
    this.smoothed.drop(series)
  }

  private create(number: number): Entry {
    const entry: Entry = {
      series: new HeldSeries(number),
      users: new Set(),
      unfollow: null,
      fetching: false,
      epoch: 0,
      again: false,
      fineRequest: 0,
    }
    this.entries.set(number, entry)
    return entry
  }

  private widen(entry: Entry, width: number): void {
    const { series } = entry
    const wider = width > series.width
    series.width = Math.max(series.width, width)
    if (series.loaded && !(wider && !series.full.complete)) this.follow(entry)
    else if (wider || !entry.fetching) this.fetch(entry)
  }

  private follow(entry: Entry): void {
    if (entry.users.size === 0 || entry.unfollow) return
    entry.unfollow = this.live.follow(entry.series.number, entry.series.full.end)
  }

  private fetch(entry: Entry): void {
    if (entry.fetching) {
      entry.again = true
      return
    }
    entry.fetching = true
    const { epoch } = entry
    const { number, width } = entry.series
    void this.views
      .get(number, { width, range: null, smoothing: 0 })
      .then((view) => {
        if (epoch === entry.epoch) this.arrived(entry, view, width)
      })
      .catch((problem: ApiProblem) => this.failed(entry, problem))
      .finally(() => {
        entry.fetching = false
        if (entry.again) {
          entry.again = false
          this.fetch(entry)
        }
      })
  }

  private arrived(entry: Entry, view: Frame, width: number): void {
    const { series } = entry
    series.error = null
    series.loaded = true
    series.full.replace(view, width)
    this.live.moveTo(series.number, series.full.end)
    this.follow(entry)
    if (series.full.complete) this.dropFine(entry)
    entry.users.forEach((changed) => changed())
  }

  private failed(entry: Entry, problem: ApiProblem): void {
    entry.series.error = problem
    entry.users.forEach((changed) => changed())
  }

  private append(entry: Entry, frame: Frame): void {
    const { series } = entry
    if (frame.kind === 'envelope') {
      series.full.replace(frame, series.width)
    } else {
      const added = series.full.append(frame)
      if (added < 0) return this.fetch(entry)
      if (added === 0) return
      this.appendFine(entry, frame)
      this.smoothed.extend(series)
      if (series.full.appended > GROWTH * series.width && !entry.fetching) this.fetch(entry)
    }
    entry.users.forEach((changed) => changed())
  }

  /** New points also belong to the refined view if it reaches up to them and the range covers them. */
  private appendFine(entry: Entry, frame: Frame): void {
    const { fine, range, width } = entry.series
    if (!fine || !range || frame.count === 0 || frame.step[0] > range.to) return
    const added = fine.append(frame)
    if (added < 0 || fine.appended > GROWTH * width) this.refineSoon(entry)
  }

  private refineSoon(entry: Entry): void {
    const now = performance.now()
    const rested = now - this.moved > REFINE_AFTER
    this.moved = now
    // Charts of one frame request together.
    if (rested && !this.toRefine.size) queueMicrotask(() => this.flushRefine())
    this.toRefine.add(entry)
    clearTimeout(this.refineTimer)
    this.refineTimer = setTimeout(() => this.flushRefine(), REFINE_AFTER)
  }

  private flushRefine(): void {
    const entries = [...this.toRefine]
    this.toRefine.clear()
    for (const entry of entries) this.fetchFine(entry)
  }

  private fetchFine(entry: Entry): void {
    const { series } = entry
    if (!series.range || entry.users.size === 0) return
    const asked = ++entry.fineRequest
    const { width, range } = series
    void this.views
      .get(series.number, { width, range, smoothing: 0 })
      .then((view) => {
        if (asked !== entry.fineRequest || !series.range) return
        series.fine ??= new Columns()
        series.fine.replace(view, width)
        entry.users.forEach((changed) => changed())
      })
      .catch((problem: ApiProblem) => this.failed(entry, problem))
  }

  private dropFine(entry: Entry): void {
    entry.fineRequest++
    this.toRefine.delete(entry)
    if (!entry.series.fine) return
    entry.series.fine = null
    entry.users.forEach((changed) => changed())
  }

  /** The series is not in use any more: no live points, and memory only for the last few. */
  private idle(entry: Entry): void {
    entry.unfollow?.()
    entry.unfollow = null
    entry.series.range = null
    this.dropFine(entry)
    this.smoothed.drop(entry.series)
    const idle = [...this.entries.values()].filter((one) => one.users.size === 0)
    for (const one of idle.slice(0, Math.max(0, idle.length - KEPT))) this.forget(one)
  }

  private forget(entry: Entry): void {
    entry.unfollow?.()
    entry.unfollow = null
    entry.epoch++
    this.toRefine.delete(entry)
    this.entries.delete(entry.series.number)
  }
}

function sameRange(a: StepRange | null, b: StepRange | null): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.to === b.to)
}
