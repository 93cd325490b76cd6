/** The known series of the visible runs, and the requests for them. Part of the runs store. */
import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import { nextTask } from '../idle'
import { fetchAhead, fetchSeries, type AheadOf } from '../series/seriesIndex'
import type { ApiProblem, SeriesRow } from '../types'

/** Rows that are processed in one go. More would take longer than a frame. */
export const AT_ONCE = 300

/** A text for a set of runs, independent of their order. */
const keyOf = (runs: Iterable<number>): string => [...runs].sort((a, b) => a - b).join()

/** The series as pages see them. */
interface SeriesFace {
  series: ComputedRef<SeriesRow[]>
  /** The same without following every new point. */
  allSeries: () => Iterable<SeriesRow>
  seriesOf: (number: number) => SeriesRow | undefined
  /** Changes only when a series is added, removed or moved to another segment, not with every point. */
  seriesSet: ShallowRef<number>
  seriesLoaded: Ref<boolean>
}

export interface KnownSeries {
  face: SeriesFace
  /** The runs whose series were requested. */
  asked: Set<number>
  put: (news: SeriesRow[]) => void
  drop: (gone: (row: SeriesRow) => boolean) => void
  load: (runs: number[]) => Promise<void>
  loadAhead: (of: AheadOf) => Promise<void>
  forget: () => void
}

/** @param error set to the failure of the last request; null if it succeeded */
export function useKnownSeries(error: Ref<ApiProblem | null>): KnownSeries {
  const bySeries = new Map<number, SeriesRow>()
  const seriesVersion = shallowRef(0)
  /** Changes only when a series is added, removed or moved to another segment, not with every point. */
  const seriesSet = shallowRef(0)
  const seriesLoaded = ref(false)
  const asked = new Set<number>()
  /** The runs of the last answer, and the answer. */
  let answered: { runs: string; version: string | null } = { runs: '', version: null }
  const series = computed<SeriesRow[]>(() => (void seriesVersion.value, [...bySeries.values()]))
  /** The same without following every new point. */
  const allSeries = (): Iterable<SeriesRow> => bySeries.values()
  const seriesOf = (number: number): SeriesRow | undefined => (void seriesVersion.value, bySeries.get(number))

  function put(news: SeriesRow[]): void {
    if (!news.length) return
    const other = news.some((row) => bySeries.get(row.series)?.segment !== row.segment)
    for (const row of news) bySeries.set(row.series, row)
    if (other) seriesSet.value++
    seriesVersion.value++
  }

  function drop(gone: (row: SeriesRow) => boolean): void {
    const before = bySeries.size
    for (const row of bySeries.values()) if (gone(row)) bySeries.delete(row.series)
    if (bySeries.size === before) return
    answered = { runs: '', version: null }
    seriesSet.value++
    seriesVersion.value++
  }

  async function load(runs: number[]): Promise<void> {
    if (!runs.length) {
      seriesLoaded.value = true
      return
    }
    for (const run of runs) asked.add(run)
    const key = keyOf(runs)
    try {
      const answer = await fetchSeries(runs, answered.runs === key ? answered.version : null)
      if (answer) {
        if (answer.rows.length > AT_ONCE) await nextTask()
        answered = { runs: key, version: answer.version }
        put(answer.rows)
      }
      error.value = null
    } catch (problem) {
      for (const run of runs) asked.delete(run)
      error.value = problem as ApiProblem
    }
    seriesLoaded.value = true
  }

  async function loadAhead(of: AheadOf): Promise<void> {
    const { rows: found, version } = await fetchAhead(of)
    if (found.length > AT_ONCE) await nextTask()
    const covered = new Set(found.map(({ run }) => run))
    for (const run of covered) asked.add(run)
    answered = { runs: keyOf(covered), version }
    put(found)
    if (found.length > AT_ONCE) await nextTask()
    if (covered.size) seriesLoaded.value = true
  }

  function forget(): void {
    asked.clear()
    answered = { runs: '', version: null }
    drop(() => true)
  }

  const face = { series, allSeries, seriesOf, seriesSet, seriesLoaded }
  return { face, asked, put, drop, load, loadAhead, forget }
}
