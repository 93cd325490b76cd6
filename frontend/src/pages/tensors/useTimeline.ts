/** The recorded tensors of one tag of one run in order of step, over its series; fetched as they are needed. Called by the page. */
import { computed, watch, type ComputedRef } from 'vue'

import { makeTimeline, type Entry } from '../images/timeline'
import type { Library, TensorSeries } from './library'

export interface Timeline {
  entries: ComputedRef<Entry[]>
  /** Whether all of its steps are known. */
  known: ComputedRef<boolean>
}

const NOTHING: readonly TensorSeries[] = []

export function useTimeline(library: Library, tag: () => string | null, run: () => number | null): Timeline {
  const series = computed(() => {
    const [wanted, number] = [tag(), run()]
    return (wanted !== null && number !== null && library.tags.value.get(wanted)?.get(number)) || NOTHING
  })
  watch(series, (all) => all.forEach(library.want), { immediate: true })
  return {
    entries: computed(() => makeTimeline(series.value.map(({ series: number, segment }) => ({ series: number, segment, steps: library.steps.get(number) ?? [] })))),
    known: computed(() => series.value.every((one) => library.steps.has(one.series))),
  }
}
