/** One axis of values for all cards. Cards tell their intervals here, and bring their views onto the common one. */
import { computed, onScopeDispose, watch, type ComputedRef } from 'vue'

import { usePlotLook } from './look'
import type { ViewFrame } from './frame'
import { along, gridEdges, type Interval } from './scale'

/** Enough that a narrow card still has a shape on the axis of a wide one. */
const CELLS = 256

/** The interval that contains all of them; logarithmic if one of them is. */
export function unionOf(intervals: readonly Interval[]): Interval | null {
  if (!intervals.length) return null
  const linear = intervals.map((one) => one.linearBelow ?? 0).filter((one) => one > 0)
  return {
    low: intervals.reduce((low, one) => Math.min(low, one.low), Infinity),
    high: intervals.reduce((high, one) => Math.max(high, one.high), -Infinity),
    linearBelow: linear.length ? Math.min(...linear) : 0,
  }
}

/** The same rows on another axis: the elements of a cell spread evenly over the new cells that it touches. */
export function onInterval(frame: ViewFrame, interval: Interval): ViewFrame {
  if (!frame.cells) return { ...frame, interval, fixed: true }
  const edges = gridEdges(frame.interval, frame.cells)
  const counts = new Float32Array(frame.rows.length * CELLS)
  for (let from = 0; from < frame.cells; from++) {
    const start = along(interval, edges[from], CELLS)
    const end = along(interval, edges[from + 1], CELLS)
    for (let cell = Math.max(0, Math.floor(start)); cell < Math.min(CELLS, Math.max(end, start + 1e-9)); cell++) {
      const part = end > start ? Math.max(0, Math.min(end, cell + 1) - Math.max(start, cell)) / (end - start) : 1
      for (let row = 0; row < frame.rows.length; row++)
        counts[row * CELLS + cell] += part * frame.counts[row * frame.cells + from]
    }
  }
  return { ...frame, interval, cells: CELLS, counts, fixed: true }
}

/**
 * Tells the interval of a mounted card to the page.
 * @returns the axis of all cards, or null where each has its own
 */
export function useToldInterval(own: () => Interval | null): ComputedRef<Interval | null> {
  const { scale, intervals } = usePlotLook()
  const holder = Symbol('card')
  watch(
    own,
    (now) => {
      if (now) intervals.set(holder, now)
      else intervals.delete(holder)
    },
    { immediate: true },
  )
  onScopeDispose(() => intervals.delete(holder))
  return computed(() => (scale.value === 'common' ? unionOf([...intervals.values()]) : null))
}

/** The view of a card on the axis that the page has chosen: its own, or the common one of all cards. */
export function useOnScale(recorded: () => ViewFrame | null): ComputedRef<ViewFrame | null> {
  const common = useToldInterval(() => (recorded()?.rows.length ? (recorded()?.interval ?? null) : null))
  return computed(() => {
    const own = recorded()
    return own && common.value ? onInterval(own, common.value) : own
  })
}
