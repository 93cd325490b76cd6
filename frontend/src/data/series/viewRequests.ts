/**
 * Requests for views of points (`GET /api/scalars/points`): wishes of the same width, range and smoothing made in one
 * tick leave as one request. Called by the series store.
 */
import { api, ask } from '../api'
import { decodeFrames, FrameError, type Frame } from '../frames'
import { ApiProblem } from '../types'

/** A range of steps, both ends included. */
export interface StepRange {
  from: number
  to: number
}

/** How a series is looked at. */
export interface View {
  /** Pixels across. */
  width: number
  /** Null is the whole series. */
  range: StepRange | null
  /** Weight of the moving average over the whole series; 0 asks for the values as they were measured. */
  smoothing: number
}

/** The contract's limit is 1,000; smaller requests draw their first charts sooner. */
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
   * @throws ApiProblem when the API refuses, cannot be reached, or leaves the series out
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
      // One series that is gone must not take the charts of the others with it.
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
