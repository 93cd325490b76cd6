/**
 * The progress of reading long back-logs. It is shown only after some time of reading: a growing run always has a few
 * unread bytes, and nothing on a page should flicker for that. Used by lists, inspector and charts.
 */
import { defineStore } from 'pinia'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'

import { useRuns } from './runs'
import type { RunRow } from '../types'

/** Milliseconds of reading after which the progress is shown. */
export const SHOW_AFTER = 500

export interface Progress {
  /** Number of runs in the sum. */
  runs: number
  /** Bytes. */
  done: number
  total: number
  eventsPerSecond: number
  /** Null if unknown. */
  secondsLeft: number | null
}

/** The progress of one run; null without a back-log worth showing. */
export function progressOf({ bytes, bytesRead, reading }: RunRow): Progress | null {
  if (reading === null || bytesRead >= bytes) return null
  return {
    runs: 1,
    done: bytesRead,
    total: bytes,
    eventsPerSecond: reading.eventsPerSecond,
    secondsLeft: reading.secondsLeft,
  }
}

/**
 * The progress of several runs together; null if there is none. They are read in parallel, so the slowest one decides.
 */
export function sumOf(all: readonly Progress[]): Progress | null {
  if (!all.length) return null
  const sum = (of: (one: Progress) => number): number => all.reduce((before, one) => before + of(one), 0)
  const left = all.map((one) => one.secondsLeft ?? NaN)
  const longest = Math.max(...left)
  return {
    runs: sum((one) => one.runs),
    done: sum((one) => one.done),
    total: sum((one) => one.total),
    eventsPerSecond: sum((one) => one.eventsPerSecond),
    secondsLeft: Number.isNaN(longest) ? null : longest,
  }
}

export const useReading = defineStore('reading', () => {
  const runs = useRuns()
  const since = new Map<number, number>()
  /**
   * All runs reported since the last idle time: runs are read one after another, and the total must not start again
   * with each.
   */
  const together = new Set<number>()
  const shown = shallowRef<ReadonlySet<number>>(new Set())
  let timer: ReturnType<typeof setTimeout> | undefined
  const reported = computed(() => runs.rows.filter((run) => progressOf(run) !== null).map((run) => run.number))

  function update(): void {
    clearTimeout(timer)
    const now = performance.now()
    const long = [...since].filter(([, start]) => now - start >= SHOW_AFTER).map(([run]) => run)
    if (long.length !== shown.value.size || long.some((run) => !shown.value.has(run))) shown.value = new Set(long)
    const youngest = Math.max(...since.values())
    if (now - youngest < SHOW_AFTER) timer = setTimeout(update, SHOW_AFTER - (now - youngest) + 1)
  }

  watch(
    reported,
    (numbers) => {
      const named = new Set(numbers)
      for (const run of since.keys()) if (!named.has(run)) since.delete(run)
      if (!numbers.length) together.clear()
      for (const run of numbers) {
        if (!since.has(run)) since.set(run, performance.now())
        together.add(run)
      }
      update()
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))

  /** The visible progress of a run; null for none. */
  function of(run: RunRow): Progress | null {
    return shown.value.has(run.number) ? progressOf(run) : null
  }
  /** The visible progress of some runs together; bytes of finished runs count too. */
  function total(list: readonly RunRow[]): Progress | null {
    const sum = shown.value.size ? sumOf(list.flatMap((run) => of(run) ?? [])) : null
    if (!sum) return null
    const all = list.filter((run) => together.has(run.number))
    const bytes = (count: (run: RunRow) => number): number => all.reduce((before, run) => before + count(run), 0)
    return { ...sum, done: bytes((run) => Math.min(run.bytes, run.bytesRead)), total: bytes((run) => run.bytes) }
  }

  return { of, total }
})
