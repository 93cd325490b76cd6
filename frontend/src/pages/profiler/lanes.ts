/** Where the timeline draws: the rows of its tracks, and the slices of each row among the columns of a window. */
import type { Drawn, Head, Range } from './source'

export const AXIS = 24
export const LABEL = 20
export const LANE = 17
export const CURVE = 44
const GAP = 6
const MOST_DEPTH = 60

export interface Lane {
  /** The track's number among the head's tracks. */
  track: number
  label: string
  /** Pixels from the top. */
  top: number
  depth: number
}

/** The row of a counter, below the tracks. */
export interface CurveLane {
  counter: number
  label: string
  top: number
}

/** The tracks that have slices, by process and thread, one below the other. */
export function lanesOf(head: Head): { lanes: Lane[]; curves: CurveLane[]; height: number } {
  const order = head.tracks
    .map((track, index) => ({ track, index }))
    .filter(({ track }) => track.slices > 0)
    .sort(
      (a, b) =>
        a.track.process_order - b.track.process_order ||
        a.track.process.localeCompare(b.track.process, undefined, { numeric: true }) ||
        a.track.thread_order - b.track.thread_order ||
        a.track.thread.localeCompare(b.track.thread, undefined, { numeric: true }),
    )
  let top = AXIS
  const lanes = order.map(({ track, index }) => {
    const depth = Math.min(MOST_DEPTH, track.depth)
    const process = track.process_name || track.process
    const lane = { track: index, label: `${process} / ${track.thread_name || track.thread}`, top, depth }
    top += LABEL + depth * LANE + GAP
    return lane
  })
  const names = new Map(head.tracks.map(({ process, process_name: name }) => [process, name]))
  const curves = head.counters.map(({ process, name }, counter) => {
    const lane = { counter, label: `${names.get(process) || process} / ${name}`, top }
    top += LABEL + CURVE + GAP
    return lane
  })
  return { lanes, curves, height: top }
}

/** For each track and depth the first index among the columns; ends where the next begins. */
export function partsOf(drawn: Drawn): Map<number, [number, number]> {
  const parts = new Map<number, [number, number]>()
  const { track, depth, start } = drawn
  let first = 0
  for (let at = 1; at <= start.length; at++) {
    if (at === start.length || track[at] !== track[first] || depth[at] !== depth[first]) {
      parts.set((track[first] ?? 0) * 256 + (depth[first] ?? 0), [first, at])
      first = at
    }
  }
  return parts
}

/** The first index of a part whose slice may end after a moment: slices of a part do not overlap. */
export function firstAfter(drawn: Drawn, [first, last]: readonly [number, number], moment: number): number {
  let low = first
  let high = last
  while (low < high) {
    const middle = (low + high) >> 1
    if ((drawn.start[middle] ?? 0) + (drawn.duration[middle] ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  return low
}

/** Moves a window by a share of its width, and scales it around a moment. It stays near the profile. */
export function moved(range: Range, length: number, { by = 0, factor = 1, around = 0.5 }): Range {
  const width = Math.min(Math.max(length, 1) * 1.1, Math.max(20, (range.end - range.begin) * factor))
  const centre = range.begin + (range.end - range.begin) * around
  const begin = centre - width * around + by * width
  const clamped = Math.max(0, Math.min(begin, length - width * 0.1))
  return { begin: clamped, end: clamped + width }
}
