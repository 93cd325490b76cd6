/**
 * What a page of tags shows in the place of its cards, and how old they are while nothing new can come.
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
  /** How many of them the filter leaves. */
  matching: () => number
  /** Whether the tags of the visible runs are known. */
  loaded: () => boolean
  /** Why they are not, besides a failure to load the runs. */
  problem?: () => ApiProblem | null
  filter: Ref<string>
}

export interface TagPage {
  state: ComputedRef<PageState>
  problem: ComputedRef<ApiProblem | null>
  names: ComputedRef<readonly string[]>
  filter: Ref<string>
  /** How far the visible runs have been read; null when all is read. */
  progress: ComputedRef<Progress | null>
  /** Time of day since when nothing new can come; null while the connection stands. */
  staleSince: ComputedRef<string | null>
}

/** The sentences of a page that differ from page to page. */
export interface PageWords {
  /** What failed: "The charts cannot be loaded". */
  error: string
  /** When its cards appear, where there is no run. */
  soon: string
  /** What it shows, where all runs are hidden. */
  shows: string
  /** That the visible runs have nothing for it. */
  none: string
  /** The same while they are being read. */
  notYet: string
  /** What would change that. */
  how: string
}

/** Time of day since when nothing new can come; null while the connection stands. */
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

/** Tags that the filter may have meant. */
export const nearTo = ({ names, filter }: TagPage): ComputedRef<string[]> =>
  computed(() => nearMatches(names.value, filter.value))
