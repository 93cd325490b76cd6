/**
 * Where the history of a statistic is drawn: its line, the usual range, the step at which it left it. Pure; used by
 * HistoryPlot.vue.
 */
import { tickTexts } from '../../../charts/scales/numbers'
import { linearTicks, logTicks } from '../../../charts/scales/ticks'
import type { History } from '../data/messages'

export interface Tick {
  at: number
  text: string
}

export interface HistoryShape {
  line: string
  /** The usual range in y; null if there is none. */
  band: { y: number; height: number } | null
  /** The place at which it left the usual range; null if it did not. */
  leftAt: number | null
  /** Steps whose value is not finite or not on the scale. */
  odd: readonly number[]
  x: readonly Tick[]
  y: readonly Tick[]
}

const EDGE = { left: 64, right: 14, top: 20, bottom: 22 }

export function historyShape(
  history: History,
  width: number,
  height: number,
  integer: (value: number) => string,
): HistoryShape {
  const { steps, values, usual_low, usual_high, left_at, logarithmic } = history
  const place = (value: number): number =>
    logarithmic ? (value > 0 ? Math.log10(value) : NaN) : Number.isFinite(value) ? value : NaN
  const places = values.map(place)
  const usual = [place(usual_low), place(usual_high)]
  const known = [...places, ...usual].filter(Number.isFinite)
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1]
  const pad = (most - least) * 0.06 || Math.abs(most) * 0.1 || 1
  const [low, high] = [least - pad, most + pad]
  const [first, last] = [steps[0] ?? 0, Math.max(steps.at(-1) ?? 1, (steps[0] ?? 0) + 1)]
  const [right, bottom] = [width - EDGE.right, height - EDGE.bottom]
  const x = (step: number): number => EDGE.left + ((step - first) / (last - first)) * (right - EDGE.left)
  const y = (at: number): number => bottom - ((at - low) / (high - low)) * (bottom - EDGE.top)

  let line = ''
  let pen = false
  places.forEach((at, row) => {
    if (Number.isFinite(at)) line += `${pen ? 'L' : 'M'}${x(steps[row]).toFixed(1)} ${y(at).toFixed(1)}`
    pen = Number.isFinite(at)
  })
  const ticksOfY = logarithmic ? logTicks(low, high, 4) : linearTicks(low, high, 4)
  const texts = tickTexts(logarithmic ? ticksOfY.map((at) => 10 ** at) : ticksOfY)
  const hasBand = usual.every(Number.isFinite) && usual[1] > usual[0]
  return {
    line,
    band: hasBand ? { y: y(usual[1]), height: Math.max(1, y(usual[0]) - y(usual[1])) } : null,
    leftAt: left_at > 0 && left_at >= first && left_at <= last ? x(left_at) : null,
    odd: places.flatMap((at, row) => (Number.isFinite(at) ? [] : [x(steps[row])])),
    x: linearTicks(first, last, Math.max(2, Math.round((right - EDGE.left) / 90)))
      .filter(Number.isInteger)
      .map((step) => ({ at: x(step), text: integer(step) })),
    y: ticksOfY.map((place, row) => ({ at: y(place), text: texts[row] })),
  }
}
