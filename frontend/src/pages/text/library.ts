/**
 * What is known of the texts of the visible runs: their tags, live, the steps of those series that somebody looks at, and the
 * texts read last. Made by the page; given to its parts.
 */
import { onScopeDispose, ref, shallowReactive, shallowRef, watch, type InjectionKey, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import { useHub } from '../../data/hub'
import { useRuns } from '../../data/runs'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'
import type { Entry } from '../images/timeline'

export type TextSeries = components['schemas']['TextSeries']
export type TextRow = components['schemas']['Text']
export type Hit = components['schemas']['TextHit']

/** Series by run, of one tag. */
export type SeriesByRun = ReadonlyMap<number, readonly TextSeries[]>

export interface Library {
  tags: ShallowRef<ReadonlyMap<string, SeriesByRun>>
  loaded: Ref<boolean>
  error: ShallowRef<ApiProblem | null>
  /** Steps of series that were asked for. */
  steps: Map<number, readonly number[]>
  /** Fetches what is not known of a series' steps. */
  want(series: TextSeries): void
  /** One text, so many characters of it. */
  read(entry: Entry, characters: number): Promise<TextRow>
  reload(): Promise<void>
}

export const LIBRARY: InjectionKey<Library> = Symbol('texts')

/** So much of a text is fetched for a card. */
export const CARD_CHARACTERS = 3000
/** So much for the panel, until all is wanted. */
export const PANEL_CHARACTERS = 20_000
export const ALL_CHARACTERS = 1 << 26

const REFRESH_AFTER = 1000
/** Texts read last; the oldest go first, and long ones are not kept. */
const KEPT = 300

function grouped(groups: components['schemas']['TextTagList']['tags']): Map<string, SeriesByRun> {
  return new Map(groups.map(({ name, series }) => {
    const byRun = new Map<number, TextSeries[]>()
    for (const row of series) byRun.set(row.run, [...(byRun.get(row.run) ?? []), row])
    return [name, byRun]
  }))
}

/** Keeps texts that were read. */
function useTexts() {
  const kept = new Map<string, Promise<TextRow>>()

  function read({ series, index }: Entry, characters: number): Promise<TextRow> {
    const key = `${series}/${index}/${characters}`
    const known = kept.get(key)
    if (known) return known
    const query = { series, first: index, end: index + 1, characters }
    const coming = ask(api.GET('/api/text/list', { params: { query } })).then(({ texts }) => {
      if (!texts[0]) throw new ApiProblem('unknown_series', `There is no text ${index}.`, { series }, 404)
      // What could not be read may be back the next time.
      if (texts[0].error) kept.delete(key)
      return texts[0]
    })
    coming.catch(() => kept.delete(key))
    if (characters > PANEL_CHARACTERS) return coming
    kept.set(key, coming)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break
      kept.delete(oldest)
    }
    return coming
  }
  return { read, forget: () => kept.clear() }
}

/** Keeps steps of series, each fetched from where the last answer ended. */
function useSteps(fail: (problem: ApiProblem) => void) {
  const steps = shallowReactive(new Map<number, readonly number[]>())
  const busy = new Set<number>()
  let era = 0

  async function fetchSteps({ series, count }: TextSeries): Promise<void> {
    const mine = era
    for (;;) {
      const known = steps.get(series) ?? []
      if (known.length >= count && steps.has(series)) return
      const answer = await ask(api.GET('/api/text/steps', { params: { query: { series, first: known.length } } }))
      if (mine !== era) return
      steps.set(series, [...known, ...answer.step])
      if (!answer.step.length) return
    }
  }

  function want(series: TextSeries): void {
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

export function useLibrary(): Library {
  const runs = useRuns()
  const tags = shallowRef<ReadonlyMap<string, SeriesByRun>>(new Map())
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  const { steps, want, forget: forgetSteps } = useSteps((problem) => (error.value = problem))
  const { read, forget: forgetTexts } = useTexts()
  let store = ''
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function forget(): void {
    forgetSteps()
    forgetTexts()
  }

  async function reload(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const mine = ++turn
    const query = { runs: [...runs.visible].join(',') }
    try {
      const answer = runs.visible.size ? await ask(api.GET('/api/text/tags', { params: { query } })) : { store, tags: [] }
      if (mine !== turn) return
      if (answer.store !== store) forget()
      store = answer.store
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
  return { tags, loaded, error, steps, want, read, reload }
}
