/**
 * Requests for views of points (`GET /api/scalars/points`). Calls with the same width, range and smoothing in one tick
 * are sent as one request. Called by the series store.
 */
import { api, ask } from '../api'
import { decodeFrames, FrameError, type Frame } from '../frames'
import { ApiProblem } from '../types'

/** A range of steps, inclusive. */
export interface StepRange {
  from: number
  to: number
}

/** The presentation of a series. */
export interface View {
  /** Pixels across. */
  width: number
  /** Null for the whole series. */
  range: StepRange | null
  /** Weight of the moving average over the whole series; 0 for measured values. */
  smoothing: number
}

/** The contract's limit is 1,000. Smaller requests draw their first charts sooner. */
const SERIES_PER_REQUEST = 200

interface Wish {
  series: number
  resolve: (points: Frame) => void
  reject: (problem: unknown) => void
}

interface Batch {
  view: View
  wishes: Wish[]
}

export class ViewRequests {
  private batches = new Map<string, Batch>()

  /**
   * Fetches the view of one series.
   * @throws ApiProblem if the API refuses, cannot be reached, or omits the series
   */
  get(series: number, view: View): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const key = `${view.width}/${view.range?.from}/${view.range?.to}/${view.smoothing}`
      if (this.batches.size === 0) queueMicrotask(() => this.flush())
      const batch = this.batches.get(key) ?? { view, wishes: [] }
      this.batches.set(key, batch)
      batch.wishes.push({ series, resolve, reject })
    })
  }

  private flush(): void {
    const batches = [...this.batches.values()]
    this.batches = new Map()
    for (const { view, wishes } of batches) {
      for (let at = 0; at < wishes.length; at += SERIES_PER_REQUEST) {
        void this.request(view, wishes.slice(at, at + SERIES_PER_REQUEST))
      }
    }
  }

  private async request(view: View, wishes: Wish[]): Promise<void> {
    try {
      answer(wishes, await fetchViews(view, wishes))
    } catch (problem) {
      const gone = unknownSeries(problem)
      const left = wishes.filter((wish) => wish.series !== gone)
      // A missing series must not affect the charts of the others.
      if (left.length === wishes.length) {
        for (const wish of wishes) wish.reject(problem)
        return
      }
      for (const wish of wishes) if (wish.series === gone) wish.reject(problem)
      if (left.length) await this.request(view, left)
    }
  }
}

async function fetchViews({ width, range, smoothing }: View, wishes: Wish[]): Promise<Map<number, Frame>> {
  const series = [...new Set(wishes.map((wish) => wish.series))].join(',')
  const params = { query: { series, width, ...range, ...(smoothing ? { smoothing } : {}) } }
  const message = await ask(api.GET('/api/scalars/points', { params, parseAs: 'arrayBuffer' }))
  try {
    return new Map(decodeFrames(message).map((frame) => [frame.series, frame]))
  } catch (problem) {
    if (!(problem instanceof FrameError)) throw problem
    throw new ApiProblem('bad_frame', problem.message, { offset: problem.offset }, 200)
  }
}

function answer(wishes: Wish[], views: Map<number, Frame>): void {
  for (const wish of wishes) {
    const points = views.get(wish.series)
    if (points) wish.resolve(points)
    else
      wish.reject(
        new ApiProblem('unknown_series', `The answer holds no series ${wish.series}.`, { series: wish.series }, 200),
      )
  }
}

function unknownSeries(problem: unknown): number | null {
  if (!(problem instanceof ApiProblem) || problem.code !== 'unknown_series') return null
  const { series } = problem.detail
  return series === undefined ? null : Number(series)
}
