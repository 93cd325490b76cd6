/**
 * The state that a page of tags shows in place of its cards, and the age of the cards while the connection is lost.
 * Called by pages; PageStates.vue draws it.
 */
import { computed, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'

import { nearMatches } from '../components/lists/tagNames'
import { useConnection } from '../data/live/connection'
import { useReading, type Progress } from '../data/runs/reading'
import { useRuns } from '../data/runs/runs'
import type { ApiProblem } from '../data/types'

export type PageState = 'error' | 'loading' | 'no-runs' | 'hidden' | 'no-tags' | 'no-match' | 'ready'

export interface TagSource {
  /** All tags of the visible runs. */
  names: () => readonly string[]
  /** Number of tags that pass the filter. */
  matching: () => number
  /** Whether the tags of the visible runs are loaded. */
  loaded: () => boolean
  /** Why they are not, apart from a failure to load the runs. */
  problem?: () => ApiProblem | null
  filter: Ref<string>
}

export interface TagPage {
  state: ComputedRef<PageState>
  problem: ComputedRef<ApiProblem | null>
  names: ComputedRef<readonly string[]>
  filter: Ref<string>
  /** Reading progress of the visible runs; null when all is read. */
  progress: ComputedRef<Progress | null>
  /** Time of day when updates stopped; null while the connection is up. */
  staleSince: ComputedRef<string | null>
}

/** The texts that differ from page to page. */
export interface PageWords {
  /** The failure: "The charts cannot be loaded". */
  error: string
  /** When its cards appear, if there is no run. */
  soon: string
  /** What the page shows, if all runs are hidden. */
  shows: string
  /** The visible runs have no data for it. */
  none: string
  /** The same while they are being read. */
  notYet: string
  /** How to record such data. */
  how: string
}

/** Time of day when updates stopped; null while the connection is up. */
export function useStaleSince(): ComputedRef<string | null> {
  const { locale } = useI18n()
  const connection = useConnection()
  return computed(() =>
    connection.phase === 'lost' && connection.lostSince !== null
      ? new Date(connection.lastFrameAt ?? connection.lostSince).toLocaleTimeString(locale.value, { hour12: false })
      : null,
  )
}

export function useTagPage(source: TagSource): TagPage {
  const runs = useRuns()
  const reading = useReading()
  const names = computed(source.names)
  const problem = computed(() => runs.error ?? source.problem?.() ?? null)
  const state = computed<PageState>(() => {
    if (problem.value && names.value.length === 0) return 'error'
    if (!runs.loaded) return 'loading'
    if (runs.rows.length === 0) return 'no-runs'
    if (runs.visible.size === 0) return 'hidden'
    if (names.value.length === 0) return source.loaded() ? 'no-tags' : 'loading'
    return source.matching() === 0 ? 'no-match' : 'ready'
  })
  return {
    state,
    problem,
    names,
    filter: source.filter,
    progress: computed(() => reading.total(runs.rows.filter((run) => runs.isVisible(run.number)))),
    staleSince: useStaleSince(),
  }
}

/** Tags similar to the filter's text. */
export const nearTo = ({ names, filter }: TagPage): ComputedRef<string[]> =>
  computed(() => nearMatches(names.value, filter.value))
