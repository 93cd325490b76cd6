/**
 * Counts the points that rules mark in the range of a chart: here if all points are held, else by the server, so that
 * the number is exact. Owned by a LinePlot.
 */
import { api, ask } from '../../data/api'
import type { Curve } from './curve'
import { axisName } from './lensViews'
import { rowsWithin, type Range } from '../scales/range'
import { marks, ruleText, tagOf, type Rule, type XAxis } from '../view'

/** A counted rule: in the server's notation, and as a test for held points. */
export interface Counted {
  text: string
  holds: (value: number) => boolean
}

export function countedRule(rule: Rule): Counted {
  return { text: ruleText(rule), holds: (value) => marks(rule, value) }
}

/** Finite numbers that are not above zero, which a logarithmic axis hides. Infinities have their own marks. */
export const HIDDEN: Counted = {
  text: `>=${-Number.MAX_VALUE}&<=0`,
  holds: (value) => value <= 0 && value !== -Infinity,
}

export function countedAbove(bound: number): Counted {
  return { text: `>${bound}&<=${Number.MAX_VALUE}`, holds: (value) => value > bound && value !== Infinity }
}

/** @param least the smallest value that the axis can show */
export function countedBelow(bound: number, least = -Infinity): Counted {
  const from = least === -Infinity ? `>=${-Number.MAX_VALUE}` : `>${least}`
  return { text: `<${bound}&${from}`, holds: (value) => value < bound && value > least }
}

export interface CountLine {
  series: number
  curve: Curve
  /** Index after the last existing point. */
  end: number
}

export interface CountQuery {
  series: number[]
  x: XAxis
  range: Range | null
  rule: string
}

export type FetchCounts = (query: CountQuery) => Promise<number[][]>

/** Ranges move with every pixel and points arrive all the time, so a request is sent only after a pause. */
export const COUNT_AFTER = 150
export const COUNT_EVERY = 2000

export class Counts {
  /** The number of points that each rule marks; null if not counted yet. */
  hits: (number | null)[] = []
  private asked = ''
  private question = ''
  private turn = 0
  private remote: number[] | null = null
  private last = -Infinity
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly changed: () => void,
    private readonly fetch: FetchCounts = fetchCounts,
  ) {}

  /**
   * Counts again if something changed. Called with every drawing.
   * @param range the range in units of x; null for everything
   */
  update(lines: readonly CountLine[], x: XAxis, range: Range | null, counted: readonly Counted[]): void {
    const here = lines.filter(({ curve }) => curve.complete && tagOf(x) === null)
    const there = lines.filter((line) => !here.includes(line))
    const local = counted.map((one) => here.reduce((sum, { curve }) => sum + countIn(curve, range, one), 0))
    const rule = counted.map(({ text }) => text).join(';')
    const query = { series: there.map(({ series }) => series), x, range, rule }
    const question = there.length && counted.length ? JSON.stringify(query) : ''
    const state = `${question}/${there.map(({ end }) => end).join()}`
    if (question !== this.question) {
      this.question = question
      this.remote = null
      this.last = -Infinity
    }
    if (question && state !== this.asked) this.askSoon(query, state)
    this.hits = local.map((count, at) => (question && !this.remote ? null : count + (this.remote?.[at] ?? 0)))
  }

  release(): void {
    clearTimeout(this.timer)
    this.turn++
  }

  private askSoon(query: CountQuery, state: string): void {
    this.asked = state
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.ask(query), Math.max(COUNT_AFTER, this.last + COUNT_EVERY - performance.now()))
  }

  private ask(query: CountQuery): void {
    const turn = ++this.turn
    this.last = performance.now()
    void this.fetch(query).then(
      (hits) => {
        if (turn !== this.turn) return
        this.remote = query.rule.split(';').map((_, at) => hits.reduce((sum, one) => sum + one[at], 0))
        this.changed()
      },
      () => (this.asked = ''),
    )
  }
}

function countIn(curve: Curve, range: Range | null, { holds }: Counted): number {
  const { from, to } = range ? rowsWithin(curve, range) : { from: 0, to: curve.length }
  let count = 0
  for (let row = from; row < to; row++) {
    const inside = !range || (curve.x[row] >= range.min && curve.x[row] <= range.max)
    if (inside && holds(curve.y[row])) count++
  }
  return count
}

async function fetchCounts({ series, x, range, rule }: CountQuery): Promise<number[][]> {
  const query = { series: series.join(','), x: axisName(x), rule, ...(range ? { from: range.min, to: range.max } : {}) }
  const { counts } = await ask(api.GET('/api/scalars/counts', { params: { query } }))
  return counts.map(({ hits }) => hits)
}
