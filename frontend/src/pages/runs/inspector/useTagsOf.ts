/** The tags of one run for its inspector: live for a visible run, fetched once for a hidden one. */
import { computed, shallowRef, watch, type ComputedRef } from 'vue'

import { api, ask } from '../../../data/api'
import { seriesRows } from '../../../data/rows'
import { useRuns } from '../../../data/runs/runs'
import type { SeriesRow } from '../../../data/types'

const byName = new Intl.Collator('en', { numeric: true })

function isNewer(a: SeriesRow, b: SeriesRow): boolean {
  return a.segment === b.segment ? (a.lastStep ?? -Infinity) > (b.lastStep ?? -Infinity) : a.segment > b.segment
}

/** For each tag of a run, the series with its newest value: that of the newest segment. */
export function newestOfEachTag(rows: readonly SeriesRow[]): SeriesRow[] {
  const newest = new Map<string, SeriesRow>()
  for (const row of rows) {
    const known = newest.get(row.name)
    if (!known || isNewer(row, known)) newest.set(row.name, row)
  }
  return [...newest.values()].sort((a, b) => byName.compare(a.name, b.name))
}

/** @returns the newest series of each of the run's tags, sorted by name; empty while loading */
export function useTagsOf(run: () => number): ComputedRef<SeriesRow[]> {
  const runs = useRuns()
  const asked = shallowRef<SeriesRow[]>([])
  const live = computed(() => runs.series.filter((row) => row.run === run()))

  watch(
    [run, () => runs.isVisible(run())],
    async ([number, visible]) => {
      asked.value = asked.value.filter((row) => row.run === number)
      if (visible) return
      try {
        const rows = seriesRows(
          await ask(api.GET('/api/scalars/tags', { params: { query: { runs: String(number) } } })),
        )
        if (number === run()) asked.value = rows
      } catch {
        // The rest of the inspector does not need them; the connection bar reports the problem.
      }
    },
    { immediate: true },
  )

  return computed(() => newestOfEachTag(live.value.length > 0 ? live.value : asked.value))
}
