/**
 * Keeps the visible runs and the step cursor in the address (`runs=`, `at=`), so that they are part of every link.
 * Called once, by the shell.
 */
import { watch } from 'vue'

import { useCursor } from '../data/runs/cursor'
import { useRuns } from '../data/runs/runs'
import { standardSet } from '../data/runs/visibleRuns'
import type { AheadOf } from '../data/series/seriesIndex'
import type { RunRow } from '../data/types'
import type { Say } from './history'
import { useQueryParam, type QueryParam } from './viewState'

const SHORTEST_ID = 4
/** A dragged cursor moves every frame; the address must not. */
const WRITE_CURSOR_AFTER = 250

const stepParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
  format: (value) => (value === null ? null : String(value)),
  say: (step) => (t) => (step === null ? t('app.shortcuts.newestStep') : t('app.edit.step', { step })),
}

/** The list of visible runs; null is the standard choice. */
export const runsParam: QueryParam<string | null> = {
  default: null,
  parse: (text) => text || undefined,
  format: (value) => value,
}

/** The shortest id prefixes of one length that distinguish all runs. */
function idLength(ids: readonly string[]): number {
  const sorted = [...ids].sort()
  let length = SHORTEST_ID
  sorted.forEach((id, index) => {
    const next = sorted[index + 1] ?? ''
    let same = 0
    while (same < id.length && id[same] === next[same]) same++
    length = Math.max(length, same + 1)
  })
  return length
}

/** Visible runs as a short text: `all`, `none`, or id prefixes. */
export function formatRuns(shown: ReadonlySet<number>, rows: readonly RunRow[]): string {
  if (shown.size === 0) return 'none'
  const named = rows.filter((row) => shown.has(row.number))
  if (named.length === rows.length) return 'all'
  const length = idLength(rows.map((row) => row.id))
  return named.map((row) => row.id.slice(0, length)).join('.')
}

/** The numbers of the runs in a text, or null if none of them exists. */
export function parseRuns(text: string, rows: readonly RunRow[]): number[] | null {
  if (text === 'none') return []
  if (text === 'all') return rows.map((row) => row.number)
  const beginnings = text.split('.').filter((part) => part.length >= SHORTEST_ID)
  const named = rows.filter((row) => beginnings.some((part) => row.id.startsWith(part)))
  return named.length > 0 ? named.map((row) => row.number) : null
}

/** The runs in an address, if the address has a word and not a list of runs. */
export function namedAhead(query: string): AheadOf | null {
  const named = new URLSearchParams(query).get('runs')
  if (named === 'all') return 'all'
  return named ? null : 'standard'
}

function syncCursor(): void {
  const cursor = useCursor()
  const at = useQueryParam('at', stepParam)
  let timer = 0
  watch(
    at,
    (step) => {
      if (step === cursor.step) return
      if (step === null) cursor.followNewest()
      else cursor.set(step)
    },
    { immediate: true },
  )
  watch(
    () => cursor.step,
    (step) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => (at.value = step), step === null ? 0 : WRITE_CURSOR_AFTER)
    },
  )
}

/** A description of a new choice of runs: "Hide lenet/adam", "Show all runs". */
export function sayRuns(before: ReadonlySet<number>, after: ReadonlySet<number>, rows: readonly RunRow[]): Say {
  const nameOf = (run: number): string => rows.find((row) => row.number === run)?.name ?? ''
  const come = [...after].filter((run) => !before.has(run))
  const gone = [...before].filter((run) => !after.has(run))
  if (after.size > 1 && after.size === rows.length) return (t) => t('app.edit.runs.all')
  if (come.length === 1 && gone.length === 0) return (t) => t('app.edit.runs.show', { name: nameOf(come[0]) })
  if (gone.length === 1 && come.length === 0) return (t) => t('app.edit.runs.hide', { name: nameOf(gone[0]) })
  if (after.size === 1) return (t) => t('app.edit.runs.only', { name: nameOf([...after][0]) })
  return (t) => t('app.edit.runs.some', { n: after.size })
}

function syncRuns(): void {
  const runs = useRuns()
  /** The visible runs before the last change. */
  let before: ReadonlySet<number> = new Set()
  /** A choice from the address is not written back as a change of the user. */
  let fromAddress: ReadonlySet<number> | null | undefined
  const param = useQueryParam('runs', {
    ...runsParam,
    drifts: () => runs.chosen === fromAddress,
    say: () => sayRuns(before, new Set(runs.visible), runs.rows),
  })
  const written = (): string | null => (runs.chosen === null ? null : formatRuns(runs.chosen, runs.rows))
  watch(
    [param, () => runs.loaded],
    ([text, loaded]) => {
      if (!loaded || text === written()) return
      const numbers = text === null ? null : parseRuns(text, runs.rows)
      if (numbers) runs.choose(numbers)
      else runs.chosen = null
      fromAddress = runs.chosen
    },
    { immediate: true },
  )
  watch(
    () => runs.chosen,
    (_, chosen) => {
      if (!runs.loaded) return
      before = chosen ?? standardSet(runs.rows)
      param.value = written()
    },
  )
}

/** Keeps the address, the cursor and the visible runs in sync in both directions. */
export function useSharedState(): void {
  syncCursor()
  syncRuns()
}
