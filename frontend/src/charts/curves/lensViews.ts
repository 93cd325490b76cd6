/**
 * Views of long series with another presentation than plain steps: over time or another scalar, on a logarithmic axis,
 * smoothed by windows. The server makes them from every point; new ones are fetched as points arrive. Owned by the
 * lines of a chart.
 */
import { api, ask } from '../../data/api'
import { Columns } from '../../data/series/columns'
import { decodeFrames, type Frame } from '../../data/frames'
import type { HeldSeries } from '../../data/series/seriesStore'
import type { Range } from '../scales/range'
import type { ScaleKind } from '../scales/scale'
import { tagOf, type Smoothing, type XAxis } from '../view'

export interface Lens {
  x: XAxis
  scale: ScaleKind
  /** Size up to which a symmetric logarithmic axis is linear. */
  linear: number
  smoothing: Smoothing
}

export interface LensQuery {
  lens: Lens
  width: number
  /** The range in units of x; null for everything. */
  range: Range | null
}

export type FetchLens = (series: number, query: LensQuery) => Promise<Frame>

/** Minimum milliseconds between two fetches of a view while points arrive. */
export const REFRESH_EVERY = 2000
/** Zooming moves the range with every pixel, so the server is asked only after a pause. */
export const ZOOM_AFTER = 50
const SERIES_PER_REQUEST = 200

/** Both views of one series with one presentation. */
export class LensHold {
  whole: Columns | null = null
  fine: Columns | null = null
  private lens = ''
  private wholeTurn = 0
  private fineTurn = 0
  private end = -1
  private asked = -Infinity
  private range: Range | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly fetch: FetchLens,
    private readonly changed: () => void,
  ) {}

  /** Updates the views. Held ones stay until new ones arrive. Called with every drawing. */
  update(series: HeldSeries, lens: Lens, range: Range | null, width: number): void {
    const axis = `${lens.x}/${lens.scale}/${lens.linear}`
    const key = `${lens.smoothing.kind}/${lens.smoothing.amount}/${axis}`
    if (key !== this.lens) {
      // A view with other smoothing replaces the old one when it arrives. On another axis the old view is useless.
      if (!this.lens.endsWith(`/${axis}`)) this.whole = this.fine = null
      this.lens = key
      this.end = -1
      this.asked = -Infinity
      this.range = null
    }
    this.carryOn(series, lens)
    if (series.full.end !== this.end) this.refreshSoon(series, lens, width)
    if (!sameRange(range, this.range)) this.zoomTo(series, lens, range, width)
  }

  release(): void {
    clearTimeout(this.timer)
    this.wholeTurn++
    this.fineTurn++
  }

  /** Live points continue the view if they have a place on its axis. */
  private carryOn({ full }: HeldSeries, lens: Lens): void {
    if (lens.smoothing.amount > 0 || tagOf(lens.x) !== null) return
    for (const columns of [this.whole, this.fine]) {
      const from = columns ? full.rowOf(columns.end) : -1
      if (!columns || from < 0 || from >= full.length) continue
      const count = full.length - from
      columns.append({
        kind: 'points',
        run: 0,
        series: 0,
        stored: 0,
        count,
        first: columns.end,
        end: columns.end + count,
        step: full.step.subarray(from, full.length),
        wall: full.wall.subarray(from, full.length),
        value: full.value.subarray(from, full.length),
      })
    }
  }

  private refreshSoon(series: HeldSeries, lens: Lens, width: number): void {
    const wait = this.asked + REFRESH_EVERY - performance.now()
    if (wait > 0) {
      this.timer ??= setTimeout(() => ((this.timer = undefined), this.changed()), wait)
      return
    }
    this.end = series.full.end
    this.asked = performance.now()
    this.get(series, { lens, width, range: null }, ++this.wholeTurn, (columns, turn) => {
      if (turn === this.wholeTurn) this.whole = columns
    })
    if (this.range) this.getFine(series, { lens, width, range: this.range })
  }

  private zoomTo(series: HeldSeries, lens: Lens, range: Range | null, width: number): void {
    this.range = range
    this.fineTurn++
    if (range === null) {
      this.fine = null
      return
    }
    const turn = this.fineTurn
    setTimeout(() => {
      if (turn === this.fineTurn) this.getFine(series, { lens, width, range })
    }, ZOOM_AFTER)
  }

  private getFine(series: HeldSeries, query: LensQuery): void {
    this.get(series, query, ++this.fineTurn, (columns, turn) => {
      if (turn === this.fineTurn) this.fine = columns
    })
  }

  private get(
    series: HeldSeries,
    query: LensQuery,
    turn: number,
    arrived: (columns: Columns, turn: number) => void,
  ): void {
    void this.fetch(series.number, query).then(
      (frame) => {
        const columns = new Columns()
        columns.replace(frame, query.width)
        arrived(columns, turn)
        this.changed()
      },
      // The measured curve is available, or the series store says why not.
      () => undefined,
    )
  }
}

function sameRange(a: Range | null, b: Range | null): boolean {
  return a === b || (a !== null && b !== null && a.min === b.min && a.max === b.max)
}

interface Wish {
  series: number
  resolve: (frame: Frame) => void
  reject: (problem: unknown) => void
}

let wishes = new Map<string, { query: LensQuery; list: Wish[] }>()

/** Fetches one view. Requests for the same view of several series are sent together. */
export const fetchLens: FetchLens = (series, query) =>
  new Promise((resolve, reject) => {
    // Charts draw in several frames, so a short wait collects their requests.
    if (wishes.size === 0) setTimeout(flush, 5)
    const key = JSON.stringify(query)
    const batch = wishes.get(key) ?? { query, list: [] }
    wishes.set(key, batch)
    batch.list.push({ series, resolve, reject })
  })

function flush(): void {
  const all = [...wishes.values()]
  wishes = new Map()
  for (const { query, list } of all) {
    for (let at = 0; at < list.length; at += SERIES_PER_REQUEST)
      void request(query, list.slice(at, at + SERIES_PER_REQUEST))
  }
}

const AXIS_NAMES: Partial<Record<XAxis, string>> = { 'relative-step': 'relative_step', relative: 'relative_time' }

/** The name of an axis in the API. */
export function axisName(x: XAxis): string {
  return AXIS_NAMES[x] ?? x
}

async function request({ lens, width, range }: LensQuery, list: readonly Wish[]): Promise<void> {
  const { amount, kind } = lens.smoothing
  const query = {
    series: [...new Set(list.map((wish) => wish.series))].join(','),
    width,
    x: axisName(lens.x),
    ...(lens.scale === 'linear' ? {} : { x_scale: lens.scale }),
    ...(lens.scale === 'symlog' ? { x_linear: lens.linear } : {}),
    ...(amount > 0 ? { smoothing: amount, smoothing_kind: kind } : {}),
    ...(range ? { from: range.min, to: range.max } : {}),
  }
  try {
    const frames = new Map(
      decodeFrames(await ask(api.GET('/api/scalars/points', { params: { query }, parseAs: 'arrayBuffer' }))).map(
        (frame) => [frame.series, frame],
      ),
    )
    for (const wish of list) {
      const frame = frames.get(wish.series)
      if (frame) wish.resolve(frame)
      else wish.reject(new Error(`no series ${wish.series} in the answer`))
    }
  } catch (problem) {
    for (const wish of list) wish.reject(problem)
  }
}
