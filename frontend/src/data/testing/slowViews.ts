/** Views of series whose answers the test releases, in any order. For tests only. */
import type { Frame } from '../frames'
import { ViewRequests, type View } from '../series/viewRequests'
import type { ApiProblem } from '../types'

export interface OpenView {
  series: number
  view: View
  answer: (view: Frame) => void
  refuse: (problem: ApiProblem) => void
}

export class SlowViews extends ViewRequests {
  readonly open: OpenView[] = []

  override get(series: number, view: View): Promise<Frame> {
    return new Promise((answer, refuse) => this.open.push({ series, view, answer, refuse }))
  }
}
