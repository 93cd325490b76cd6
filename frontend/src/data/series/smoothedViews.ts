/**
 * Smoothed views of series that are too long to hold completely. The server averages over every point, so that neither
 * zooming nor reduction changes the curve. Live points are smoothed here, continuing from the end of the view. Owned by
 * the series store.
 */
import { DebiasedEma, smoothingUnit } from './smoothing'
import { Columns } from './columns'
import type { Frame } from '../frames'
import type { ApiProblem } from '../types'
import type { StepRange, ViewRequests } from './viewRequests'

/** A slider moves through many weights, so the server is asked only after a pause. */
export const SLIDE_AFTER = 120

/** The smoothed series and the place of the result; a `HeldSeries` of the store. */
export interface Smoothable {
  readonly number: number
  readonly full: Columns
  readonly fine: Columns | null
  readonly range: StepRange | null
  readonly width: number
  /** The smoothed counterparts of `full` and `fine`. */
  smooth: Columns | null
  smoothFine: Columns | null
}

interface Asked {
  weight: number
  /** Generations of the measured columns for which smoothed views were requested. */
  whole: number
  fine: number
  wholeDue: boolean
  fineDue: boolean
  /** Grows with every request: older answers are ignored. */
  turn: number
  fineTurn: number
  changed: () => void
}

export class SmoothedViews {
  private readonly asked = new WeakMap<Smoothable, Asked>()
  private readonly due = new Set<Smoothable>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly views: ViewRequests) {}

  /**
   * Requests smoothed views of a series' current columns. Held ones stay until the new ones arrive. Cheap if nothing
   * changed, because every drawing calls it. A series has one weight at a time.
   * @param weight 0 for none
   * @param changed called when a view has arrived
   */
  want(held: Smoothable, weight: number, changed: () => void): void {
    if (weight === 0 || held.full.complete) return this.drop(held)
    const asked = this.askedOf(held, changed)
    const moved = asked.weight !== weight
    if (held.fine === null) held.smoothFine = null
    asked.wholeDue ||= moved || asked.whole !== held.full.generation
    asked.fineDue = held.fine !== null && (asked.fineDue || moved || asked.fine !== held.fine.generation)
    asked.weight = weight
    asked.whole = held.full.generation
    asked.fine = held.fine?.generation ?? -1
    if (asked.wholeDue || asked.fineDue) this.ask(held, moved && held.smooth !== null)
  }

  /** Adds live points to the smoothed columns. */
  extend(held: Smoothable): void {
    const weight = this.asked.get(held)?.weight
    if (!weight) return
    const unit = smoothingUnit(held.full.top - held.full.step[0])
    if (held.smooth) carryOn(held.smooth, held.full, weight, unit)
    if (held.smoothFine && held.fine) carryOn(held.smoothFine, held.fine, weight, unit)
  }

  /** Drops held views and running requests. */
  drop(held: Smoothable): void {
    const asked = this.asked.get(held)
    if (!asked) return
    asked.turn++
    asked.fineTurn++
    this.asked.delete(held)
    this.due.delete(held)
    held.smooth = held.smoothFine = null
  }

  private askedOf(held: Smoothable, changed: () => void): Asked {
    let asked = this.asked.get(held)
    if (!asked) {
      asked = { weight: NaN, whole: -1, fine: -1, wholeDue: false, fineDue: false, turn: 0, fineTurn: 0, changed }
      this.asked.set(held, asked)
    }
    return asked
  }

  /** Charts of one frame request together. A moving slider delays the request. */
  private ask(held: Smoothable, sliding: boolean): void {
    this.due.add(held)
    if (sliding) {
      clearTimeout(this.timer)
      this.timer = undefined
    }
    this.timer ??= setTimeout(() => this.flush(), sliding ? SLIDE_AFTER : 0)
  }

  private flush(): void {
    this.timer = undefined
    const all = [...this.due]
    this.due.clear()
    for (const held of all) {
      const asked = this.asked.get(held)
      if (asked?.wholeDue) this.fetchWhole(held, asked)
      if (asked?.fineDue && held.range) this.fetchFine(held, asked, held.range)
    }
  }

  private fetchWhole(held: Smoothable, asked: Asked): void {
    asked.wholeDue = false
    const turn = ++asked.turn
    this.fetch(held, asked, null, (columns) => {
      if (turn === asked.turn) held.smooth = columns
    })
  }

  private fetchFine(held: Smoothable, asked: Asked, range: StepRange): void {
    asked.fineDue = false
    const turn = ++asked.fineTurn
    this.fetch(held, asked, range, (columns) => {
      if (turn === asked.fineTurn && held.fine) held.smoothFine = columns
    })
  }

  private fetch(held: Smoothable, asked: Asked, range: StepRange | null, arrived: (columns: Columns) => void): void {
    const { width, number } = held
    void this.views
      .get(number, { width, range, smoothing: asked.weight })
      .then((view) => {
        const columns = new Columns()
        columns.replace(view, width)
        arrived(columns)
        this.extend(held)
        asked.changed()
      })
      .catch((problem: ApiProblem) => {
        // The measured curve is available. If nothing answered, the next drawing asks again.
        if (problem.code === 'unreachable') asked.whole = asked.fine = -2
      })
  }
}

/** Smooths the live points that are missing in `smooth`, continuing from its last value. */
function carryOn(smooth: Columns, raw: Columns, weight: number, unit: number): void {
  const from = raw.rowOf(smooth.end)
  if (from < 0 || from >= raw.length) return
  const count = raw.length - from
  const last = lastFinite(smooth)
  const ema = new DebiasedEma(weight, unit)
  if (last >= 0) ema.seed(smooth.value[last], smooth.step[last])
  const step = raw.step.subarray(from, raw.length)
  const value = new Float64Array(count)
  ema.extend(step, raw.value.subarray(from, raw.length), 0, count, value)
  const tail: Frame = {
    kind: 'points',
    run: 0,
    series: 0,
    stored: 0,
    count,
    first: smooth.end,
    end: smooth.end + count,
    step,
    wall: raw.wall.subarray(from, raw.length),
    value,
  }
  smooth.append(tail)
}

function lastFinite({ value, length }: Columns): number {
  let row = length - 1
  while (row >= 0 && !Number.isFinite(value[row])) row--
  return row
}
