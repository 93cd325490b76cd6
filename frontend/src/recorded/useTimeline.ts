/**
 * The recorded values of one tag of one run, ordered by step over its series. Missing steps are fetched. Used by the
 * pages of recorded values.
 */
import { computed, watch, type ComputedRef } from 'vue'

import type { RecordedLibrary, RecordedSeries } from './library'
import { makeTimeline, type Entry } from './timeline'

export interface Timeline {
  entries: ComputedRef<Entry[]>
  /** Whether all of its steps are loaded. */
  known: ComputedRef<boolean>
}

export function useTimeline(
  { steps, want }: Pick<RecordedLibrary, 'steps' | 'want'>,
  series: () => readonly RecordedSeries[],
): Timeline {
  watch(series, (all) => all.forEach(want), { immediate: true })
  return {
    entries: computed(() =>
      makeTimeline(
        series().map(({ series: number, segment }) => ({ series: number, segment, steps: steps.get(number) ?? [] })),
      ),
    ),
    known: computed(() => series().every((one) => steps.has(one.series))),
  }
}
