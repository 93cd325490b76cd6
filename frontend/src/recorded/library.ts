/**
 * Loaded data about one kind of recorded values of the visible runs: their tags, live, and the steps of the series in
 * use. Made by the libraries of the pages of images, tensors and text.
 */
import { onScopeDispose, ref, shallowReactive, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../data/api'
import { useHub } from '../data/live/hub'
import { useRuns } from '../data/runs/runs'
import type { components } from '../data/schema'
import { ApiProblem } from '../data/types'

export type RecordedSeries = components['schemas']['RecordedSeries']

/** A series whose steps are needed. */
type CountedSeries = Pick<RecordedSeries, 'series' | 'count'>

/** Series of one tag by run. */
export type SeriesByRun = ReadonlyMap<number, readonly RecordedSeries[]>

export interface RecordedLibrary {
  tags: ShallowRef<ReadonlyMap<string, SeriesByRun>>
  /** Id of the store that the series numbers belong to. */
  store: Ref<string>
  loaded: Ref<boolean>
  error: ShallowRef<ApiProblem | null>
  /** Steps of the requested series. */
  steps: Map<number, readonly number[]>
  /** Fetches missing steps of a series. */
  want(series: RecordedSeries): void
  /** All runs that have such values, visible or not. */
  recordedIn(): Promise<number[]>
  reload(): Promise<void>
}

const TAGS = { images: '/api/images/tags', tensors: '/api/tensors/tags', text: '/api/text/tags' } as const
const STEPS = { images: '/api/images/steps', tensors: '/api/tensors/steps', text: '/api/text/steps' } as const
export type RecordedKind = keyof typeof TAGS

const REFRESH_AFTER = 1000

function grouped(groups: components['schemas']['RecordedTagList']['tags']): Map<string, SeriesByRun> {
  return new Map(
    groups.map(({ name, series }) => {
      const byRun = new Map<number, RecordedSeries[]>()
      for (const row of series) byRun.set(row.run, [...(byRun.get(row.run) ?? []), row])
      return [name, byRun]
    }),
  )
}

/**
 * Keeps the steps of series; each request continues where the last answer ended.
 * @param fail receives failures; a removed series is not one
 */
export function useSteps(kind: RecordedKind, fail: (problem: ApiProblem) => void) {
  const steps = shallowReactive(new Map<number, readonly number[]>())
  const busy = new Set<number>()
  let era = 0

  async function fetchSteps({ series, count }: CountedSeries): Promise<void> {
    const mine = era
    for (;;) {
      const known = steps.get(series) ?? []
      if (known.length >= count && steps.has(series)) return
      const answer = await ask(api.GET(STEPS[kind], { params: { query: { series, first: known.length } } }))
      if (mine !== era) return
      steps.set(series, [...known, ...answer.step])
      if (!answer.step.length) return
    }
  }

  function want(series: CountedSeries): void {
    if (busy.has(series.series) || (steps.get(series.series)?.length ?? -1) >= series.count) return
    busy.add(series.series)
    fetchSteps(series)
      .catch((problem: unknown) => {
        if (problem instanceof ApiProblem && problem.code !== 'unknown_series') fail(problem)
      })
      .finally(() => busy.delete(series.series))
  }

  function forget(): void {
    era++
    steps.clear()
    busy.clear()
  }
  return { steps, want, forget }
}

/**
 * @param kind the kind of values
 * @param forgetMore clears what the page itself caches by series number, because another store has other numbers
 */
export function useRecorded(kind: RecordedKind, forgetMore: () => void = () => undefined): RecordedLibrary {
  const runs = useRuns()
  const tags = shallowRef<ReadonlyMap<string, SeriesByRun>>(new Map())
  const store = ref('')
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  const { steps, want, forget: forgetSteps } = useSteps(kind, (problem) => (error.value = problem))
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function forget(): void {
    forgetSteps()
    forgetMore()
  }

  async function reload(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const mine = ++turn
    const query = { runs: [...runs.visible].join(',') }
    try {
      const answer = runs.visible.size
        ? await ask(api.GET(TAGS[kind], { params: { query } }))
        : { store: store.value, tags: [] }
      if (mine !== turn) return
      if (answer.store !== store.value) forget()
      store.value = answer.store
      tags.value = grouped(answer.tags)
      error.value = null
      loaded.value = true
    } catch (problem) {
      if (mine === turn) error.value = problem as ApiProblem
    }
  }

  async function recordedIn(): Promise<number[]> {
    const answer = await ask(api.GET(TAGS[kind]))
    return [...new Set(answer.tags.flatMap(({ series }) => series.map(({ run }) => run)))]
  }

  const shown = (): string => (runs.loaded ? [...runs.visible].sort().join() : '')
  watch(shown, () => void (runs.loaded && reload()), { immediate: true })
  // Rows change with every recorded point, so this asks at most once a second.
  const news = (): string =>
    runs.rows.map((run) => (runs.isVisible(run.number) ? `${run.number}:${run.bytesRead}:${run.lastWall}` : '')).join()
  watch(news, () => (timer ??= setTimeout(() => void reload(), REFRESH_AFTER)))
  const silence = useHub().listen({
    storeChanged: () => {
      forget()
      void reload()
    },
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    silence()
    turn++
  })
  return { tags, store, loaded, error, steps, want, recordedIn, reload }
}
