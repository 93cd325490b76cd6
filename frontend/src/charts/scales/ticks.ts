/** Positions and labels of an axis' ticks. Called by LinePlot for each new range. */
import { firstDistinct, sentenceNumber, tickTexts } from './numbers'
import type { Range } from './range'
import { LINEAR, type Scale } from './scale'
import { tagOf, type XAxis } from '../view'

export interface Ticks {
  at: number[]
  text: string[]
}

/** More ticks than any axis has room for. */
const MOST = 100

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  // Counted and not added up, because next to a large number a small step changes nothing.
  if (!Number.isFinite(step)) return []
  const at = Array.from({ length: Math.min(MOST, Math.max(0, count)) }, (_, k) =>
    Number(((first + k) * step).toPrecision(14)),
  )
  return [...new Set(at)]
}

/** Round ticks (1, 2 or 5 times a power of ten), about `count` of them. */
export function linearTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count)
  if (!(rough > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(rough))
  const lead = rough / power
  const step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power
  return multiples(low, high, step)
}

/** Powers of ten between two exponents; for few of them also 2 and 5, for many every second, third, and so on. */
export function logTicks(low: number, high: number, count: number): number[] {
  const first = Math.ceil(low - 1e-9)
  const last = Math.floor(high + 1e-9)
  const decades = last - first + 1
  if (decades < 3) return subDecades(low, high, count)
  const every = Math.ceil(decades / Math.max(2, count))
  const at: number[] = []
  for (let k = first; k <= last; k++) if (k % every === 0) at.push(k)
  return at
}

function subDecades(low: number, high: number, count: number): number[] {
  const at: number[] = []
  for (let k = Math.floor(low); k <= high; k++) {
    for (const lead of [1, 2, 5]) {
      const place = k + Math.log10(lead)
      if (place >= low - 1e-9 && place <= high + 1e-9) at.push(place)
    }
  }
  // Less than a decade is visible: ticks of the linear axis, at their logarithmic positions.
  if (at.length < 2)
    return linearTicks(10 ** low, 10 ** high, count)
      .filter((v) => v > 0)
      .map(Math.log10)
  return at
}

const SECOND_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000,
  2592000, 8640000,
]

/** Ticks at round durations. */
export function durationTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count)
  if (rough < 1) return linearTicks(low, high, count)
  const step = SECOND_STEPS.find((one) => one >= rough * 0.75) ?? rough
  return multiples(low, high, step)
}

/** Durations with seconds, if a shorter form would repeat: 1h 0m 0.25s. */
function longDuration(seconds: number): string {
  const sign = seconds < 0 ? '−' : ''
  const size = Math.abs(seconds)
  const minutes = Math.floor(size / 60)
  const rest = `${Number((size - 60 * minutes).toFixed(6))}s`
  if (minutes === 0) return sign + rest
  return `${sign}${minutes < 60 ? '' : `${Math.floor(minutes / 60)}h `}${minutes % 60}m ${rest}`
}

/** A duration as short as its size allows: 45s, 12m, 1h 30m, 3d. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '0'
  const sign = seconds < 0 ? '−' : ''
  const size = Math.abs(seconds)
  if (size < 60) return `${sign}${Number(size.toPrecision(3))}s`
  if (size < 3600) return sign + twoParts(size, 60, 'm', 1, 's')
  if (size < 86400) return sign + twoParts(size, 3600, 'h', 60, 'm')
  return sign + twoParts(size, 86400, 'd', 3600, 'h')
}

function twoParts(size: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const whole = Math.floor(size / large)
  const rest = Math.floor((size - whole * large) / small)
  return rest ? `${whole}${largeUnit} ${rest}${smallUnit}` : `${whole}${largeUnit}`
}

/** Wall clock ticks at round local times. */
function wallTicks(low: number, high: number, count: number): number[] {
  const offset = new Date(low * 1000).getTimezoneOffset() * 60
  return durationTicks(low - offset, high - offset, count).map((at) => at + offset)
}

/** Local time from the day to fractions of a second. The visible range decides which part is written. */
function wallTexts(at: readonly number[], span: number): string[] {
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = (date: Date): string => `${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const time = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`
  const second = (date: Date): string => `${time(date)}:${two(date.getSeconds())}`
  const fraction = (date: Date): string => `${second(date)}.${String(date.getMilliseconds()).padStart(3, '0')}`
  const long = [day, (date: Date): string => `${day(date)} ${time(date)}`]
  const ways =
    span > 3 * 86400 ? long : span > 86400 ? long.slice(1) : span > 300 ? [time, second, fraction] : [second, fraction]
  const dates = at.map((one) => new Date(Math.round(one * 1000)))
  return firstDistinct(ways.map((way) => () => dates.map(way)))
}

/** Powers of ten on both sides of zero, as numbers. The linear part in between has its ends and zero. */
function symlogTicks(low: number, high: number, count: number, scale: Scale): number[] {
  if (low >= 1) return logTicks(low - 1, high - 1, count).map((place) => scale.linear * 10 ** place)
  if (high <= -1)
    return symlogTicks(-high, -low, count, scale)
      .map((value) => -value)
      .reverse()
  if (low > -1 && high < 1) return linearTicks(scale.from(low), scale.from(high), count)
  const every = Math.max(1, Math.ceil((high - low) / Math.max(2, count)))
  const at: number[] = []
  for (let place = Math.ceil(low); place <= high; place++) if (place % every === 0) at.push(scale.from(place))
  return at
}

/** Numbers at the ticks of an axis that is not linear. */
function bentTicks(low: number, high: number, count: number, scale: Scale): number[] {
  const at =
    scale.kind === 'log' ? logTicks(low, high, count).map((place) => 10 ** place) : symlogTicks(low, high, count, scale)
  return at.map((value) => Number(value.toPrecision(12)))
}

/** Ticks of an axis, before those at its ends are checked. */
function allXTicks(axis: XAxis, low: number, high: number, count: number): Ticks {
  if (axis === 'relative') {
    const at = durationTicks(low, high, count)
    return { at, text: firstDistinct([durationText, longDuration].map((way) => () => at.map(way))) }
  }
  if (axis === 'wall') {
    const at = wallTicks(low, high, count)
    return { at, text: wallTexts(at, high - low) }
  }
  const at = linearTicks(low, high, count).filter(
    (one) => high - low < 2 || Number.isInteger(one) || tagOf(axis) !== null,
  )
  return { at, text: tickTexts(at) }
}

const CHARACTER = 7
/** Character widths of the axis font: a point is half as wide as a digit, M and G half as wide again. */
const DIGIT = 6.8
/** Margins of the texts of a y axis, to the plot and to the edge. */
const BESIDE = 12

/** Width of a y axis' texts in pixels, at least `least`, so that neighbouring plots mostly align. */
export function axisWidth({ text }: Ticks, least: number): number {
  const widths = text.map((one) => DIGIT * (one.length - (one.includes('.') ? 0.5 : 0) + (/[MG]/.test(one) ? 0.5 : 0)))
  return Math.max(least, Math.ceil(BESIDE + Math.max(0, ...widths)))
}

/** Whether neighbouring texts would overlap. */
function crowded({ at, text }: Ticks, pixelsPerUnit: number): boolean {
  if (at.length < 2) return false
  const nearest = Math.min(...at.slice(1).map((one, before) => one - at[before]))
  return Math.max(...text.map((one) => one.length)) * CHARACTER + 8 > nearest * pixelsPerUnit
}

/**
 * The ticks of an x axis; `at` are positions on it.
 * @param range the range of positions
 * @param width width of the plot in pixels
 * @param room pixels to the right of it; a text that needs more is left out
 */
export function xTicks(axis: XAxis, { min, max }: Range, width: number, room: number, scale: Scale = LINEAR): Ticks {
  let count = Math.max(2, Math.round(width / 100))
  const lay = (wanted: number): Ticks =>
    scale.kind === 'linear' ? allXTicks(axis, min, max, wanted) : bentXTicks(axis, min, max, wanted, scale)
  let ticks = lay(count)
  while (count > 1 && crowded(ticks, width / (max - min))) ticks = lay(--count)
  const { at, text } = ticks
  const fits = (one: number, words: string): boolean =>
    (words.length * CHARACTER) / 2 <= width - ((one - min) / (max - min)) * width + room
  const kept = at.map((_, place) => place).filter((place) => fits(at[place], text[place]))
  return { at: kept.map((place) => at[place]), text: kept.map((place) => text[place]) }
}

function bentXTicks(axis: XAxis, low: number, high: number, count: number, scale: Scale): Ticks {
  const values = bentTicks(low, high, count, scale)
  return {
    at: values.map((value) => scale.to(value)),
    text: axis === 'relative' ? values.map(durationText) : tickTexts(values),
  }
}

/** The ticks of a y axis; `low`, `high` and `at` are positions on it. */
export function yTicks(scale: Scale, low: number, high: number, height: number): Ticks {
  if (scale.kind === 'linear') {
    const at = linearTicks(low, high, Math.max(2, Math.round(height / 44)))
    return { at, text: tickTexts(at) }
  }
  const values = bentTicks(low, high, Math.max(2, Math.round(height / 30)), scale)
  return { at: values.map((value) => scale.to(value)), text: tickTexts(values) }
}

/** A range of x in a few signs: 659–763. */
export function rangeText(axis: XAxis, { min, max }: { min: number; max: number }): string {
  const between = axis === 'step' || axis === 'relative-step' ? '–' : ' – '
  return `${xText(axis, min)}${between}${xText(axis, max)}`
}

/** The full text for a position on the x axis: 4,812, 1h 30m, 2026-03-01 10:02:11. */
export function xText(axis: XAxis, x: number): string {
  if (axis === 'relative') return durationText(Math.round(x))
  if (axis === 'wall') return new Date(x * 1000).toLocaleString('sv-SE')
  if (tagOf(axis) !== null) return sentenceNumber(x, 'en-US', 4)
  return Math.round(x).toLocaleString('en-US')
}
