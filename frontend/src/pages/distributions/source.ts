/** Fetches the data of a card: the view of all its steps, and the exact histogram at the step cursor. */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import type { ApiProblem } from '../../data/types'
import { decodeView, type ViewFrame } from './drawing/frame'
import { histogramOf, type Histogram } from './drawing/histogram'
import type { Part, RunTag } from './tags'

export const AXES = ['auto', 'linear', 'symlog'] as const
export type AxisKind = (typeof AXES)[number]

/** The resolution of a request. */
export interface Detail {
  rows: number
  /** 0 for what is known of the rows alone. */
  cells: number
  axis: AxisKind
  /** Whether the histogram at the step cursor and all steps are asked for. */
  exact: boolean
}

/** Of the small cards of layers, of cards, and of the large view with its heat map. */
export const DETAIL_MINI = { rows: 40, cells: 0, exact: false }
export const DETAIL = { rows: 40, cells: 64, exact: true }
export const DETAIL_LARGE = { rows: 128, cells: 96, exact: true }

/** Answers of cards that were scrolled out of sight; the oldest are dropped first. */
const KEPT = 400
const STEP_SETTLES = 60
/** A growing line is requested again once a second, and for at most a twentieth of the time. */
const REST = 1000
const REST_FACTOR = 20

const views = new Map<string, Promise<ViewFrame>>()
const exacts = new Map<string, Promise<Histogram | null>>()

function kept<T>(all: Map<string, Promise<T>>, key: string, fetchIt: () => Promise<T>): Promise<T> {
  const known = all.get(key)
  if (known) return known
  const coming = fetchIt()
  all.set(key, coming)
  coming.catch(() => all.delete(key))
  for (const oldest of all.keys()) {
    if (all.size <= KEPT) break
    all.delete(oldest)
  }
  return coming
}

/** Forgets all answers (another store, tests). */
export function forgetHistograms(): void {
  views.clear()
  exacts.clear()
}

/** The view of a line; unreadable histograms may be readable the next time. */
export function fetchView({ parts, count }: RunTag, { rows, cells, axis, exact }: Detail): Promise<ViewFrame> {
  const of = parts.map(({ series, until }) => (until === null ? String(series) : `${series}:${until}`)).join(',')
  const key = [of, count, rows, cells, axis, exact].join('/')
  return kept(views, key, async () => {
    const body: unknown = await ask(
      api.GET('/api/distributions/view', {
        params: { query: { of, rows, cells, axis, steps: exact } },
        parseAs: 'arrayBuffer',
      }),
    )
    const frame = decodeView(body as ArrayBuffer)
    if (frame.unreadable) views.delete(key)
    return frame
  })
}

function fetchOne(part: Part, step: number | null): Promise<Histogram | null> {
  const last = part.until === null ? step : Math.min(step ?? Infinity, part.until - 1)
  const key = [part.series, part.count, last].join('/')
  return kept(exacts, key, async () => {
    const query = { series: part.series, at_most: 2, step: last ?? Number.MAX_SAFE_INTEGER }
    const { histograms } = await ask(api.GET('/api/distributions/histograms', { params: { query } }))
    const found = histograms[0] ? histogramOf(histograms[0]) : null
    if (found?.problem) exacts.delete(key)
    return found
  })
}

/**
 * The newest histogram of a line that is no later than a step (null: the newest of all), null where there is none.
 * Several runs together have no histogram of their own.
 */
export async function fetchAt({ parts, together }: RunTag, step: number | null): Promise<Histogram | null> {
  if (together.length > 1) return null
  for (const part of [...parts].reverse()) {
    const found = await fetchOne(part, step)
    if (found) return found
  }
  return null
}

export interface Source {
  /** Null until the first answer. */
  frame: ShallowRef<ViewFrame | null>
  /** The histogram at the step cursor; null if there is none or it is not loaded yet. */
  exact: ShallowRef<Histogram | null>
  error: ShallowRef<ApiProblem | null>
  load: () => Promise<void>
}

/**
 * What a card draws of a run under a tag.
 * @param of the shown line; the answer follows it
 * @param step the step cursor; null for the newest
 */
export function useRecorded(of: () => RunTag, detail: () => Detail, step: () => number | null): Source {
  const frame = shallowRef<ViewFrame | null>(null)
  const exact = shallowRef<Histogram | null>(null)
  const error = shallowRef<ApiProblem | null>(null)
  let turn = 0
  let exactTurn = 0
  let rest: ReturnType<typeof setTimeout> | undefined
  let settling: ReturnType<typeof setTimeout> | undefined
  let restUntil = 0

  async function loadExact(): Promise<void> {
    const mine = ++exactTurn
    if (!detail().exact) return
    try {
      const found = await fetchAt(of(), step())
      if (mine === exactTurn) exact.value = found
    } catch (problem) {
      if (mine === exactTurn) error.value = problem as ApiProblem
    }
  }

  async function load(): Promise<void> {
    clearTimeout(rest)
    rest = undefined
    const mine = ++turn
    const begun = performance.now()
    try {
      const found = await fetchView(of(), detail())
      restUntil = performance.now() + Math.max(REST, REST_FACTOR * (performance.now() - begun))
      if (mine !== turn) return
      error.value = null
      frame.value = found
      await loadExact()
    } catch (problem) {
      if (mine === turn) error.value = problem as ApiProblem
    }
  }

  watch([() => of(), detail], ([now], [old]) => {
    const grew = now.key === old.key && now.count !== old.count
    if (now.key !== old.key) frame.value = exact.value = null
    if (grew && performance.now() < restUntil) rest ??= setTimeout(() => void load(), restUntil - performance.now())
    else void load()
  })
  // While the cursor is dragged, a request is sent only where it rests.
  watch(step, () => {
    clearTimeout(settling)
    settling = setTimeout(() => void loadExact(), STEP_SETTLES)
  })
  onScopeDispose(() => {
    clearTimeout(settling)
    clearTimeout(rest)
    turn++
    exactTurn++
  })
  void load()
  return { frame, exact, error, load }
}

/**
 * The histogram of a line at a step, which may be another than the cursor's; null where there is none or it is not here
 * yet.
 */
export function useExactAt(of: () => RunTag, step: () => number | null): ShallowRef<Histogram | null> {
  const found = shallowRef<Histogram | null>(null)
  let turn = 0
  let settling: ReturnType<typeof setTimeout> | undefined
  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const one = await fetchAt(of(), step())
      if (mine === turn) found.value = one
    } catch {
      // The card beside it shows the error.
      if (mine === turn) found.value = null
    }
  }
  watch([() => of().key, () => of().count, step], () => {
    clearTimeout(settling)
    settling = setTimeout(() => void load(), STEP_SETTLES)
  })
  onScopeDispose(() => {
    clearTimeout(settling)
    turn++
  })
  void load()
  return found
}
