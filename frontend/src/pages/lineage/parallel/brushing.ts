/**
 * Converts between brushes (values) and stretches of an axis (positions) while they are drawn, dragged, moved and
 * resized. Pure.
 */
import { isEmpty, joined, NO_BRUSH, type Brush, type Span } from '../brushes'
import type { AxisLayout } from './layout'

/** A stretch of an axis from top to bottom; both ends between 0 and 1. */
export interface Stretch {
  from: number
  to: number
  /** Index of its range in the brush; null if it stands for categories. */
  range: number | null
}

/** Digits of a dragged end; finer than any screen. */
const DIGITS = 5
const neat = (value: number): number => Number(value.toPrecision(DIGITS))

/** Half the height of a category on its axis. */
const half = (count: number): number => (count > 1 ? 0.5 / (count - 1) : 0.5)
const clipped = (place: number): number => Math.max(0, Math.min(1, place))

/** The categories between two places; at least the nearest one. */
function categoriesWithin(categories: readonly string[], from: number, to: number): number[] {
  const last = categories.length - 1
  const [first, end] = [Math.ceil(from * last - 1e-6), Math.floor(to * last + 1e-6)]
  if (first > end) return [Math.max(0, Math.min(last, Math.round(((from + to) / 2) * last)))]
  return Array.from({ length: Math.min(last, end) - Math.max(0, first) + 1 }, (_, at) => Math.max(0, first) + at)
}

/** The stretches of a brush on an axis. */
export function stretchesOf(layout: AxisLayout, brush: Brush): Stretch[] {
  const { categories } = layout
  if (categories && layout.column.kind === 'category') {
    const room = half(categories.length)
    const last = Math.max(1, categories.length - 1)
    const chosen = new Set(brush.values)
    const stretches: Stretch[] = []
    categories.forEach((text, at) => {
      if (!chosen.has(text)) return
      const before = stretches.at(-1)
      const place = categories.length > 1 ? at / last : 0.5
      if (before && at > 0 && chosen.has(categories[at - 1])) before.to = clipped(place + room * 0.7)
      else stretches.push({ from: clipped(place - room * 0.7), to: clipped(place + room * 0.7), range: null })
    })
    return stretches
  }
  return brush.ranges.flatMap(([low, high], range) => {
    const ends = [endPlace(layout, low), endPlace(layout, high)].sort((a, b) => a - b)
    return Number.isNaN(ends[0] + ends[1]) || ends[0] > 1 || ends[1] < 0
      ? []
      : [{ from: clipped(ends[0]), to: clipped(ends[1]), range }]
  })
}

/** Ends need not be values of a run; if the axis only has the values of runs, the nearest one is used. */
function endPlace(layout: AxisLayout, value: number): number {
  const { inverted } = layout.axis
  if (value === Infinity) return inverted ? 1 : 0
  if (value === -Infinity) return inverted ? 0 : 1
  const place = layout.placeOf(value)
  if (!Number.isNaN(place) || !layout.categories) return Number.isNaN(place) && value <= 0 ? (inverted ? 0 : 1) : place
  let best = NaN
  let distance = Infinity
  for (let at = 0; at < layout.categories.length; at++) {
    const there = layout.categories.length > 1 ? at / (layout.categories.length - 1) : 0.5
    const away = Math.abs(layout.valueAt(there) - value)
    if (away < distance) [best, distance] = [there, away]
  }
  return best
}

/**
 * The numbers between two places of an axis. A stretch that reaches the end of the axis has no bound there, so better
 * runs are included later.
 */
export function spanOf(layout: AxisLayout, from: number, to: number): Span {
  const [low, high] = [layout.valueAt(clipped(from)), layout.valueAt(clipped(to))].sort((a, b) => a - b)
  if (layout.categories) return [low, high]
  const [highest, lowest] = layout.axis.inverted ? [to >= 1, from <= 0] : [from <= 0, to >= 1]
  return [lowest ? -Infinity : neat(low), highest ? Infinity : neat(high)]
}

/** The brush extended by the values between two places. */
export function withStretch(layout: AxisLayout, brush: Brush, from: number, to: number): Brush {
  const [top, foot] = from <= to ? [from, to] : [to, from]
  if (layout.categories && layout.column.kind === 'category') {
    const added = categoriesWithin(layout.categories, top, foot).map((at) => layout.categories?.[at] ?? '')
    return { ...brush, values: [...new Set([...brush.values, ...added])] }
  }
  return { ...brush, ranges: joined([...brush.ranges, spanOf(layout, top, foot)]) }
}

/** The brush without one of its stretches. */
export function withoutStretch(layout: AxisLayout, brush: Brush, stretch: Stretch): Brush {
  if (stretch.range !== null) return { ...brush, ranges: brush.ranges.filter((_, at) => at !== stretch.range) }
  const gone = new Set(
    categoriesWithin(layout.categories ?? [], stretch.from, stretch.to).map((at) => layout.categories?.[at]),
  )
  return { ...brush, values: brush.values.filter((value) => !gone.has(value)) }
}

/** The brush with a lane below the axis switched on or off. */
export function withLane(brush: Brush, lane: 'nowhere' | 'unset'): Brush {
  if (lane === 'unset') return { ...brush, missing: !brush.missing }
  const rest = brush.ranges.filter(([low, high]) => !isOdd([low, high]))
  return { ...brush, ranges: rest.length < brush.ranges.length ? rest : [...rest, ...ODD] }
}

/** NaN and the infinities. */
const ODD: readonly Span[] = [
  [NaN, NaN],
  [Infinity, Infinity],
  [-Infinity, -Infinity],
]
function isOdd([low, high]: Span): boolean {
  return Number.isNaN(low) || (low === high && !Number.isFinite(low))
}
export const hasOdd = (brush: Brush): boolean => brush.ranges.some(isOdd)

/** Parses `0.001 .. 0.01, 5, > 3`; null if the text is not valid. */
export function typedRanges(text: string): Span[] | null {
  const spans: Span[] = []
  for (const part of text
    .split(/[,;，；]/)
    .map((one) => one.trim())
    .filter(Boolean)) {
    const found =
      /^(?:(>=?|<=?|≥|≤)\s*)?([-+−]?[\d.]+(?:e[-+−]?\d+)?)(?:\s*(?:\.\.+|…|–|~|to)\s*([-+−]?[\d.]+(?:e[-+−]?\d+)?))?$/iu.exec(
        part,
      )
    if (!found) return null
    const [low, high] = [found[2], found[3]].map((one) => (one === undefined ? NaN : Number(one.replaceAll('−', '-'))))
    if (Number.isNaN(low) || (found[3] !== undefined && (Number.isNaN(high) || found[1]))) return null
    if (found[1]) spans.push(/[>≥]/.test(found[1]) ? [low, Infinity] : [-Infinity, low])
    else spans.push(found[3] === undefined ? [low, low] : low <= high ? [low, high] : [high, low])
  }
  return joined(spans)
}

/** Formats ranges for the same field. */
export function rangesText(ranges: readonly Span[]): string {
  return ranges
    .filter((span) => !isOdd(span))
    .map(([low, high]) => {
      if (high === Infinity) return `≥ ${low}`
      if (low === -Infinity) return `≤ ${high}`
      return low === high ? String(low) : `${low} .. ${high}`
    })
    .join(', ')
}

export const brushOf = (brushes: ReadonlyMap<string, Brush>, name: string): Brush => brushes.get(name) ?? NO_BRUSH
export const isBrushed = (brushes: ReadonlyMap<string, Brush>, name: string): boolean =>
  !isEmpty(brushOf(brushes, name))
