/**
 * The columns of all series that somebody looks at: a view by HTTP first, live points after it, a refined
 * view where the charts are zoomed, smoothed views of what is long. Plain classes and callbacks: no framework looks
 * into big arrays. Charts and sparks are its users (`series.ts`, `charts/`).
 */
import { Columns } from './columns'
import type { Frame } from '../frames'
import { SmoothedViews } from './smoothedViews'
import { ViewRequests, type StepRange } from './viewRequests'
import type { ApiProblem } from '../types'

export type { StepRange } from './viewRequests'

/** What the store needs of the live connection. */
export interface LiveFeed {
  follow(series: number, next: number): () => void
  moveTo(series: number, next: number): void
}

/** A user's hold on a series; `release` gives it back. */
export interface Watch {
  readonly series: HeldSeries
  release(): void
}

/** Zooming by a wheel moves the range with every turn: after the first question only a pause asks the server. */
export const REFINE_AFTER = 60
/** Points appended to a view, in widths of it, before it is fetched again. */
const GROWTH = 4
/** Series nobody looks at that are kept, so that scrolling back draws at once. */
const KEPT = 48

export class HeldSeries {
  readonly number: number
  readonly full = new Columns()
  /** The refined view of the zoomed range, where one was needed. */
  fine: Columns | null = null
  /** What the server smoothed, over the whole and over the zoomed range; null where the browser holds every point. */
  smooth: Columns | null = null
  smoothFine: Columns | null = null
  range: StepRange | null = null
  width = 0
  loaded = false
  error: ApiProblem | null = null

  constructor(number: number) {
    this.number = number
  }

  /** The columns to draw: the refined ones where they are there. */
  get drawn(): Columns {
    return this.fine?.length ? this.fine : this.full
  }
}

interface Entry {
  series: HeldSeries
  users: Set<() => void>
  unfollow: (() => void) | null
  fetching: boolean
  /** Grows when what is under way is no longer wanted. */
  epoch: number
  /** Asked for while a request was under way. */
  again: boolean
  fineRequest: number
}

export class SeriesStore {
  private readonly entries = new Map<number, Entry>()
  private readonly live: LiveFeed
  private readonly views: ViewRequests
  private readonly smoothed: SmoothedViews
  private refineTimer: ReturnType<typeof setTimeout> | undefined
  /** When ranges moved last. */
  private moved = -Infinity
  private readonly toRefine = new Set<Entry>()

  constructor(live: LiveFeed, views: ViewRequests = new ViewRequests()) {
    this.live = live
    this.views = views
    this.smoothed = new SmoothedViews(views)
  }

  /**
   * Watches a series.
   * @param width pixels across which it is drawn; the largest asked for counts
   * @param changed called on every change, at the rate of the wire: schedule, do not draw in it
   */
  watch(number: number, width: number, changed: () => void): Watch {
    const entry = this.entries.get(number) ?? this.create(number)
    // Re-inserted: the map's order is the order of last use.
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

  /** A held series, without watching it. */
  peek(number: number): HeldSeries | undefined {
    return this.entries.get(number)?.series
  }

  /** All series that somebody looks at. */
  *watched(): Generator<HeldSeries> {
    for (const entry of this.entries.values()) if (entry.users.size) yield entry.series
  }

  /** Asks for a finer view of a range of steps (null: the full view is enough). */
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
   * Sees to it that a long series has smoothed views of this weight (0: none); those held stay until they are there.
   */
  smooth(number: number, weight: number): void {
    const entry = this.entries.get(number)
    if (entry?.series.loaded)
      this.smoothed.want(entry.series, weight, () => entry.users.forEach((changed) => changed()))
  }

  /** Live frames, in the order of the wire. */
  receive(frames: Frame[]): void {
    for (const frame of frames) {
      const entry = this.entries.get(frame.series)
      if (entry) this.append(entry, frame)
    }
  }

  /** The server says that too much waits for a live channel. */
  refetch(numbers: number[]): void {
    for (const number of numbers) {
      const entry = this.entries.get(number)
      if (entry) this.fetch(entry)
    }
  }

  /** Fetches again what failed. */
  retry(): void {
    for (const entry of this.entries.values()) if (entry.series.error) this.fetch(entry)
  }

  /** These series exist no longer. */
  remove(numbers: number[]): void {
    for (const number of numbers) {
      const entry = this.entries.get(number)
      if (!entry) continue
      this.empty(entry)
      entry.users.forEach((changed) => changed())
      this.forget(entry)
    }
  }

  /** The server's store was rebuilt: nothing held is valid, what is watched is fetched anew. */
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

  /** New points belong to the refined view too when it reaches up to them and the range covers them. */
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
    // Charts of one frame ask together.
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

  /** Nobody looks any more: no live points, and memory only for the last few. */
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
