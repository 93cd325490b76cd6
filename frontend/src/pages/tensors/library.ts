/**
 * What is known of the tensors of the visible runs: their tags, live, steps of those series that are looked at, types and
 * shapes. Made by the page; given to its parts.
 */
import { onScopeDispose, ref, shallowReactive, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import { useHub } from '../../data/hub'
import { useRuns } from '../../data/runs'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'

export type TensorSeries = components['schemas']['TensorSeries']
export type TensorHead = components['schemas']['TensorHead']

/** Series by run, of one tag. */
export type SeriesByRun = ReadonlyMap<number, readonly TensorSeries[]>

export interface Library {
  tags: ShallowRef<ReadonlyMap<string, SeriesByRun>>
  /** Names the store that the numbers of series belong to. */
  store: Ref<string>
  loaded: Ref<boolean>
  error: ShallowRef<ApiProblem | null>
  /** Steps of series that were asked for. */
  steps: Map<number, readonly number[]>
  /** Type and shape of the newest tensor of series that were asked for. */
  heads: Map<number, TensorHead>
  /** Fetches what is not known of a series' steps. */
  want(series: TensorSeries): void
  /** Fetches what is not known of types and shapes. */
  wantHeads(series: readonly number[]): void
  reload(): Promise<void>
}

const REFRESH_AFTER = 1000
const HEADS_AT_ONCE = 100

function grouped(groups: components['schemas']['TensorTagList']['tags']): Map<string, SeriesByRun> {
  return new Map(groups.map(({ name, series }) => {
    const byRun = new Map<number, TensorSeries[]>()
    for (const row of series) byRun.set(row.run, [...(byRun.get(row.run) ?? []), row])
    return [name, byRun]
  }))
}

/** Keeps steps of series, each fetched from where the last answer ended. */
function useSteps(fail: (problem: ApiProblem) => void) {
  const steps = shallowReactive(new Map<number, readonly number[]>())
  const busy = new Set<number>()
  let era = 0

  async function fetchSteps({ series, count }: TensorSeries): Promise<void> {
    const mine = era
    for (;;) {
      const known = steps.get(series) ?? []
      if (known.length >= count && steps.has(series)) return
      const answer = await ask(api.GET('/api/tensors/steps', { params: { query: { series, first: known.length } } }))
      if (mine !== era) return
      steps.set(series, [...known, ...answer.step])
      if (!answer.step.length) return
    }
  }
  function want(series: TensorSeries): void {
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

/** Keeps types and shapes; those that are wanted in one turn are asked for together. */
function useHeads() {
  const heads = shallowReactive(new Map<number, TensorHead>())
  const asked = new Set<number>()
  const waiting = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetchHeads(): Promise<void> {
    const numbers = [...waiting].slice(0, HEADS_AT_ONCE)
    numbers.forEach((number) => waiting.delete(number))
    timer = waiting.size ? setTimeout(() => void fetchHeads()) : undefined
    try {
      const answer = await ask(api.GET('/api/tensors/heads', { params: { query: { series: numbers.join(',') } } }))
      for (const head of answer.heads) heads.set(head.series, head)
    } catch {
      // A list without shapes is still a list: the next look asks again.
      numbers.forEach((number) => asked.delete(number))
    }
  }
  function wantHeads(series: readonly number[]): void {
    for (const number of series) {
      if (asked.has(number)) continue
      asked.add(number)
      waiting.add(number)
    }
    if (waiting.size) timer ??= setTimeout(() => void fetchHeads(), 20)
  }
  function forget(): void {
    heads.clear()
    asked.clear()
    waiting.clear()
  }
  onScopeDispose(() => clearTimeout(timer))
  return { heads, wantHeads, forget }
}

export function useLibrary(): Library {
  const runs = useRuns()
  const tags = shallowRef<ReadonlyMap<string, SeriesByRun>>(new Map())
  const store = ref('')
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  const { steps, want, forget: forgetSteps } = useSteps((problem) => (error.value = problem))
  const { heads, wantHeads, forget: forgetHeads } = useHeads()
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function forget(): void {
    forgetSteps()
    forgetHeads()
  }

  async function reload(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const mine = ++turn
    const query = { runs: [...runs.visible].join(',') }
    try {
      const answer = runs.visible.size ? await ask(api.GET('/api/tensors/tags', { params: { query } })) : { store: store.value, tags: [] }
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

  const shown = (): string => (runs.loaded ? [...runs.visible].sort().join() : '')
  watch(shown, () => void (runs.loaded && reload()), { immediate: true })
  // Rows of runs change with whatever is recorded: this asks once a second at most.
  const news = (): string => runs.rows.map((run) => (runs.isVisible(run.number) ? `${run.number}:${run.bytesRead}:${run.lastWall}` : '')).join()
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
  return { tags, store, loaded, error, steps, heads, want, wantHeads, reload }
}
