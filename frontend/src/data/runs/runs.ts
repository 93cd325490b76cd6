/**
 * The runs, which of them are visible, and the series of the visible ones. Shared by all pages. The `runs` topic of the
 * live connection keeps them up to date.
 */
import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'

import { api, ask } from '../api'
import { useHub } from '../live/hub'
import { nextTask, whenIdle } from '../idle'
import type { RunsMessage } from '../live/live'
import { runRow, seriesRow, type WireMarks } from '../rows'
import type { AheadOf } from '../series/seriesIndex'
import type { ApiProblem, RunRow } from '../types'
import { nameCut, shortName, type NameCut } from './names'
import { AT_ONCE, useKnownSeries } from './knownSeries'
import { useVisibleRuns } from './visibleRuns'

const MOST_RUNS = 10_000

const same = (a: RunRow | undefined, b: RunRow): boolean => a !== undefined && JSON.stringify(a) === JSON.stringify(b)

function newestFirst(a: RunRow, b: RunRow): number {
  return (b.firstWall ?? Infinity) - (a.firstWall ?? Infinity) || b.number - a.number
}

/** Stores the new marks of some runs from the server's answer. */
function putMarks(byNumber: Map<number, RunRow>, byId: Readonly<Record<string, WireMarks>>): void {
  for (const row of [...byNumber.values()]) {
    const marks = byId[row.id]
    if (marks) {
      const name = marks.display_name || row.directory
      byNumber.set(row.number, { ...row, marks, name, colour: marks.colour ?? row.ownColour })
    } else if (row.marks.baseline && Object.values(byId).some((one) => one.baseline)) {
      byNumber.set(row.number, { ...row, marks: { ...row.marks, baseline: false } })
    }
  }
}

export const useRuns = defineStore('runs', () => {
  const hub = useHub()
  const byNumber = shallowReactive(new Map<number, RunRow>())
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  /** All runs but archived ones, newest first. */
  const rows = computed(() => [...byNumber.values()].filter((row) => !row.marks.archived).sort(newestFirst))
  /** The run with which others are compared. */
  const baseline = computed(() => {
    for (const row of byNumber.values()) if (row.marks.baseline) return row
    return null
  })

  /** How names are shortened on all pages. */
  const cut = computed<NameCut>((before) => {
    const next = nameCut(rows.value.map((row) => row.directory))
    return before && JSON.stringify(before) === JSON.stringify(next) ? before : next
  })

  const choice = useVisibleRuns(byNumber, rows)
  const { visible } = choice
  const known = useKnownSeries(error)

  /** Series that were requested before the runs were known. Until they arrive, the missing ones are unknown. */
  let ahead: Promise<void> | null = null

  async function loadMissingSeries(): Promise<void> {
    await ahead
    await known.load([...visible.value].filter((run) => byNumber.has(run) && !known.asked.has(run)))
  }

  // --- loading and live changes
  function replaceAll(news: RunRow[]): void {
    const named = new Set(news.map((row) => row.number))
    removeRuns([...byNumber.keys()].filter((run) => !named.has(run)))
    // A list of a thousand runs without changes must not repaint a thousand lines.
    for (const row of news) if (!same(byNumber.get(row.number), row)) byNumber.set(row.number, row)
  }

  function removeRuns(gone: number[]): void {
    if (!gone.length) return
    const set = new Set(gone)
    for (const run of gone) {
      byNumber.delete(run)
      known.asked.delete(run)
    }
    known.drop((row) => set.has(row.run))
  }

  // --- actions of users on runs
  /** Runs removed here, which the server may still report. */
  const leaving = new Set<number>()

  /** Removes runs from the page at once, after the server was asked to remove them. */
  function leave(gone: readonly RunRow[]): void {
    for (const { number } of gone) leaving.add(number)
    removeRuns(gone.map(({ number }) => number))
  }

  /**
   * Fetches restored runs again. If the server had not removed a run yet, nothing changes there and it sends no
   * message, so it is asked.
   */
  async function comeBack(numbers: Iterable<number>): Promise<void> {
    for (const number of numbers) leaving.delete(number)
    await load()
  }

  /**
   * Fetches the runs, and the series of the visible ones.
   * @param shown the runs that will be visible, if known before the runs: their series are fetched at once
   */
  async function load(shown: AheadOf | null = null): Promise<void> {
    // If this fails, the failure is reported when the runs are there and their series are fetched.
    if (shown) ahead = known.loadAhead(shown).catch(() => undefined)
    try {
      const answer = await ask(api.GET('/api/runs', { params: { query: { limit: MOST_RUNS } } }))
      if (answer.results.length > AT_ONCE) await nextTask()
      replaceAll(answer.results.map(runRow))
      error.value = null
      loaded.value = true
      if (answer.results.length > AT_ONCE) await nextTask()
      await loadMissingSeries()
    } catch (problem) {
      error.value = problem as ApiProblem
    }
  }

  function receive(message: RunsMessage): void {
    if (message.complete) leaving.clear()
    for (const run of message.removed) leaving.delete(run)
    const news = message.runs.filter((row) => !leaving.has(row.number)).map(runRow)
    if (message.complete) {
      replaceAll(news)
      void loadMissingSeries()
      // From here on every change is reported. Changes between our first requests and this moment were not. Curves come
      // first.
      whenIdle(() => {
        known.asked.clear()
        void loadMissingSeries()
      })
    } else {
      for (const row of news) byNumber.set(row.number, row)
      removeRuns(message.removed)
    }
    known.put(message.series.map((row) => seriesRow(row.name, row)).filter((row) => byNumber.has(row.run)))
    loaded.value = true
    error.value = null
  }

  hub.listen({
    runs: receive,
    removed: (numbers) => {
      const gone = new Set(numbers)
      known.drop((row) => gone.has(row.series))
    },
    storeChanged: () => {
      known.forget()
      void load()
    },
  })
  hub.live.followTopic('runs')
  watch([visible, loaded], () => void (loaded.value && loadMissingSeries()))

  return {
    rows,
    byNumber,
    loaded,
    error,
    load,
    ...known.face,
    baseline,
    nameCut: cut,
    shortName: (name: string): string => shortName(name, cut.value),
    leave,
    comeBack,
    putMarks: (byId: Readonly<Record<string, WireMarks>>): void => putMarks(byNumber, byId),
    ...choice,
  }
})
