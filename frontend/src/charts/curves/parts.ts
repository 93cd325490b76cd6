/**
 * A run may have several series with one name: for several segments, and inside a segment for several files. This
 * module finds which belong together, which continue one another, and where the run restarted. Pure.
 */
import type { Curve } from './curve'

/** One line of a chart: its series and its appearance. */
export interface PlotSeries {
  /** Number of the series. */
  series: number
  run: number
  /** Number of the run. */
  name: string
  segment: number
  /**
   * The earliest step at which the run restarted after this segment; null if no newer segment has this tag.
   * A line with a restart is superseded.
   */
  restart: number | null
  /**
   * Wall time of the run's first point with this name: the zero of the relative axis. Null if not known yet.
   */
  origin: number | null
  /** The run's first step with this name: the zero of relative steps. Default: that of the curves on the chart. */
  originStep?: number | null
  /** A CSS colour or variable, such as `var(--run-4)`. */
  colour: string
  dash: readonly number[]
  /** Its y axis; default: the left one. */
  side?: 'right'
  /** Run and tag, if the name contains both. */
  of?: { run: string; tag: string }
  /** The run's directory, where the name is another: texts that leave the page need it. */
  directory?: string
  /** `strong` for the line with which others are compared, `faint` for one of very many. */
  weight?: 'strong' | 'faint'
}

/** The needed fields of a series' row. */
interface SegmentPart {
  segment: number
  firstStep: number | null
}

/**
 * The step from which a segment was trained again; null for the newest segment.
 * @param parts all series of one run with one name
 */
export function restartAfter(segment: number, parts: readonly SegmentPart[]): number | null {
  const later = parts.filter((part) => part.segment > segment)
  if (!later.length) return null
  return Math.min(...later.map((part) => part.firstStep ?? Infinity))
}

interface OfRun {
  spec: { run: number }
}

/** Lines by run, in the order in which the runs first appear. */
export function byRun<T extends OfRun>(lines: readonly T[]): T[][] {
  const groups = new Map<number, T[]>()
  for (const line of lines) {
    const group = groups.get(line.spec.run)
    if (group) group.push(line)
    else groups.set(line.spec.run, [line])
  }
  return [...groups.values()]
}

interface OfSegment {
  spec: { segment: number }
}

/** The lines of one run by segment, the newest segment first. */
export function bySegment<T extends OfSegment>(lines: readonly T[]): T[][] {
  const segments = new Map<number, T[]>()
  for (const line of lines) segments.set(line.spec.segment, [...(segments.get(line.spec.segment) ?? []), line])
  return [...segments].sort(([a], [b]) => b - a).map(([, parts]) => parts)
}

interface Drawn {
  spec: { run: number; segment: number }
  whole: Curve
}

/**
 * The predecessor of each line: the line of the same segment that ends before it begins. Lines that overlap another
 * line of their segment have none.
 */
export function predecessors<T extends Drawn>(lines: readonly T[]): Map<T, T> {
  const found = new Map<T, T>()
  for (const parts of byRun(lines).flatMap(bySegment)) {
    const held = parts.filter(({ whole }) => whole.length).sort((a, b) => a.whole.x[0] - b.whole.x[0])
    const overlap = held.some((part, at) => at > 0 && held[at - 1].whole.end > part.whole.x[0])
    if (!overlap) held.slice(1).forEach((part, at) => found.set(part, held[at]))
  }
  return found
}

/** The point at which a segment leaves an older one: the older line, and the row of its point. */
export interface Fork<T> {
  from: T
  row: number
}

/**
 * The point at which each line leaves an older segment of its run: the older segment's newest point before the first
 * step of the line's own segment. Only the first line of a segment has one.
 */
export function forks<T extends Drawn>(lines: readonly T[]): Map<T, Fork<T>> {
  const found = new Map<T, Fork<T>>()
  for (const run of byRun(lines)) {
    const segments = bySegment(run).map((parts) =>
      parts.filter(({ whole }) => whole.length).sort((a, b) => a.whole.step[0] - b.whole.step[0]),
    )
    segments.forEach((parts, at) => {
      const fork = parts.length ? leaving(segments.slice(at + 1).flat(), parts[0].whole.step[0]) : null
      if (fork) found.set(parts[0], fork)
    })
  }
  return found
}

function leaving<T extends Drawn>(older: readonly T[], step: number): Fork<T> | null {
  let best: Fork<T> | null = null
  for (const line of older) {
    const row = line.whole.rowOfStep(step - 1)
    if (row >= 0 && (!best || line.whole.step[row] > best.from.whole.step[best.row])) best = { from: line, row }
  }
  return best
}
