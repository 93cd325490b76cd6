/** The data of one run for the tiles, besides its row. Fetched once, and again when the run has grown. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import { seriesRows } from '../../data/rows'
import { useRuns } from '../../data/runs/runs'
import type { components } from '../../data/schema'
import type { ApiProblem, RunRow, SeriesRow } from '../../data/types'

export type Details = components['schemas']['RunDetails']

/** A tag with values in event files, and its newest series. */
export interface RecordedTag {
  name: string
  /** The newest series of the run, whose last value is shown. */
  series: number
  count: number
  lastStep: number | null
  /** Number of values of the tag in all of its series. */
  total: number
  /** All of its series. */
  parts: readonly RecordedPart[]
}

export interface RecordedPart {
  series: number
  segment: number
  count: number
  firstStep: number | null
}

export interface Overview {
  run: number
  details: Details
  scalars: readonly SeriesRow[]
  histograms: readonly RecordedTag[]
  images: readonly RecordedTag[]
  texts: readonly RecordedTag[]
  /** Id of the store that the series numbers belong to. */
  store: string
}

const REFRESH_AFTER = 1000

interface WireSeries {
  series: number
  segment: number
  count: number
  first_step: number | null
  last_step: number | null
}

/**
 * The series with the value for a step: that of the newest segment that starts at or before the step; null before all.
 */
export function partAt({ parts }: RecordedTag, step: number): RecordedPart | null {
  const begun = parts.filter(({ firstStep }) => (firstStep ?? Infinity) <= step)
  return begun.sort((a, b) => b.segment - a.segment || (b.firstStep ?? 0) - (a.firstStep ?? 0))[0] ?? null
}

/** For each tag, the series of the newest segment. */
export function recordedTags(tags: readonly { name: string; series: readonly WireSeries[] }[]): RecordedTag[] {
  return tags
    .filter(({ series }) => series.length)
    .map(({ name, series }) => {
      const newest = [...series].sort(
        (a, b) => b.segment - a.segment || (b.last_step ?? -Infinity) - (a.last_step ?? -Infinity),
      )[0]
      const parts = series.map((one) => ({
        series: one.series,
        segment: one.segment,
        count: one.count,
        firstStep: one.first_step,
      }))
      return {
        name,
        series: newest.series,
        count: newest.count,
        lastStep: newest.last_step,
        total: series.reduce((sum, one) => sum + one.count, 0),
        parts,
      }
    })
}

async function fetchOverview(run: number): Promise<Overview | null> {
  const params = { query: { runs: String(run) } }
  const [{ runs: details }, scalars, histograms, images, texts] = await Promise.all([
    ask(api.GET('/api/runs/details', { params })),
    ask(api.GET('/api/scalars/tags', { params })),
    ask(api.GET('/api/distributions/tags', { params })),
    ask(api.GET('/api/images/tags', { params })),
    ask(api.GET('/api/text/tags', { params })),
  ])
  return details[0]
    ? {
        run,
        details: details[0],
        scalars: seriesRows(scalars),
        histograms: recordedTags(histograms.tags),
        images: recordedTags(images.tags),
        texts: recordedTags(texts.tags),
        store: images.store,
      }
    : null
}

export interface OverviewState {
  overview: ShallowRef<Overview | null>
  error: ShallowRef<ApiProblem | null>
  load: () => Promise<void>
}

/** @param run number of the run, null if unknown */
export function useOverview(run: () => RunRow | null): OverviewState {
  const runs = useRuns()
  const overview = shallowRef<Overview | null>(null)
  const error = shallowRef<ApiProblem | null>(null)
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const number = run()?.number
    const mine = ++turn
    if (number === undefined) return
    try {
      const found = await fetchOverview(number)
      if (mine !== turn) return
      overview.value = found
      error.value = null
    } catch (problem) {
      if (mine === turn) error.value = problem as ApiProblem
    }
  }

  watch(
    () => run()?.number,
    () => {
      overview.value = null
      void load()
    },
    { immediate: true },
  )
  // The row changes with every recorded point, so this asks at most once a second.
  const news = (): string => `${run()?.number}:${run()?.bytesRead}:${run()?.tags}:${run()?.state}`
  watch(news, () => (timer ??= setTimeout(() => void load(), REFRESH_AFTER)))
  watch(
    () => runs.error,
    (problem) => problem === null && error.value && void load(),
  )
  onScopeDispose(() => {
    clearTimeout(timer)
    turn++
  })
  return { overview, error, load }
}
