/**
 * The runs, which of them are visible, how they are painted, and the series of those that are visible. Shared by all
 * pages; kept current by the `runs` topic of the live connection.
 */
import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'

import { api, ask } from '../api'
import { paintRuns, type Paint } from './colours'
import { useHub } from '../live/hub'
import { nextTask, whenIdle } from '../idle'
import type { RunsMessage } from '../live/live'
import { runRow, seriesRow, type WireMarks } from '../rows'
import { fetchAhead, fetchSeries, type AheadOf } from '../series/seriesIndex'
import type { ApiProblem, RunRow, SeriesRow } from '../types'

const ALL_VISIBLE_UP_TO = 10
const NEWEST_VISIBLE = 5
const MOST_RUNS = 10_000
/** Rows that are put up in one go: reading and showing more is longer than a frame. */
const AT_ONCE = 300

/** One text for a set of runs, in whatever order they come. */
const keyOf = (runs: Iterable<number>): string => [...runs].sort((a, b) => a - b).join()

const same = (a: RunRow | undefined, b: RunRow): boolean => a !== undefined && JSON.stringify(a) === JSON.stringify(b)

function newestFirst(a: RunRow, b: RunRow): number {
  return (b.firstWall ?? Infinity) - (a.firstWall ?? Infinity) || b.number - a.number
}

/** What is visible while nobody has chosen. */
export function standardSet(rows: readonly RunRow[]): Set<number> {
  const shown = rows.length <= ALL_VISIBLE_UP_TO ? rows : rows.slice(0, NEWEST_VISIBLE)
  return new Set(shown.map((row) => row.number))
}

export const useRuns = defineStore('runs', () => {
  const hub = useHub()
  const byNumber = shallowReactive(new Map<number, RunRow>())
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  /** All but those of the archive, the newest first. */
  const rows = computed(() => [...byNumber.values()].filter((row) => !row.marks.archived).sort(newestFirst))
  const isActive = (run: number): boolean => byNumber.get(run)?.marks.archived === false
  /** The run that others are held against. */
  const baseline = computed(() => {
    for (const row of byNumber.values()) if (row.marks.baseline) return row
    return null
  })

  // --- which runs are drawn
  const chosen = shallowRef<ReadonlySet<number> | null>(null)
  const visible = computed<ReadonlySet<number>>(() =>
    chosen.value ? new Set([...chosen.value].filter(isActive)) : standardSet(rows.value),
  )
  const isVisible = (run: number): boolean => visible.value.has(run)
  const choose = (runs: Iterable<number>): void => void (chosen.value = new Set(runs))
  const only = (run: number): void => choose([run])
  const showAll = (): void => choose(rows.value.map((row) => row.number))
  function toggle(run: number): void {
    const next = new Set(visible.value)
    if (!next.delete(run)) next.add(run)
    choose(next)
  }

  // --- how they are painted
  const paints = computed<Map<number, Paint>>((before) => {
    const shown = rows.value.filter((row) => visible.value.has(row.number))
    return paintRuns(
      shown.sort((a, b) => a.number - b.number),
      before,
    )
  })
  const paintOf = (run: number): Paint => paints.value.get(run) ?? { colour: byNumber.get(run)?.colour ?? 0, dash: [] }
  const colourOf = (run: number): string => `var(--run-${paintOf(run).colour + 1})`
  const dashOf = (run: number): number[] => [...paintOf(run).dash]

  // --- the series of visible runs
  const bySeries = new Map<number, SeriesRow>()
  const seriesVersion = shallowRef(0)
  /** Changes only when a series comes, goes or moves to another segment, not with every point. */
  const seriesSet = shallowRef(0)
  const seriesLoaded = ref(false)
  const askedSeries = new Set<number>()
  /** For which runs the server answered last, and with what. */
  let answeredSeries: { runs: string; version: string | null } = { runs: '', version: null }
  const series = computed<SeriesRow[]>(() => (void seriesVersion.value, [...bySeries.values()]))
  /** The same without following every new point. */
  const allSeries = (): Iterable<SeriesRow> => bySeries.values()
  const seriesOf = (number: number): SeriesRow | undefined => (void seriesVersion.value, bySeries.get(number))

  function putSeries(news: SeriesRow[]): void {
    if (!news.length) return
    const other = news.some((row) => bySeries.get(row.series)?.segment !== row.segment)
    for (const row of news) bySeries.set(row.series, row)
    if (other) seriesSet.value++
    seriesVersion.value++
  }

  function dropSeries(gone: (row: SeriesRow) => boolean): void {
    const before = bySeries.size
    for (const row of bySeries.values()) if (gone(row)) bySeries.delete(row.series)
    if (bySeries.size === before) return
    answeredSeries = { runs: '', version: null }
    seriesSet.value++
    seriesVersion.value++
  }

  async function loadSeries(runs: number[]): Promise<void> {
    if (!runs.length) {
      seriesLoaded.value = true
      return
    }
    for (const run of runs) askedSeries.add(run)
    const key = keyOf(runs)
    try {
      const answer = await fetchSeries(runs, answeredSeries.runs === key ? answeredSeries.version : null)
      if (answer) {
        if (answer.rows.length > AT_ONCE) await nextTask()
        answeredSeries = { runs: key, version: answer.version }
        putSeries(answer.rows)
      }
      error.value = null
    } catch (problem) {
      for (const run of runs) askedSeries.delete(run)
      error.value = problem as ApiProblem
    }
    seriesLoaded.value = true
  }

  /** Series that were asked for before the runs were known: until they are there, nobody knows which are missing. */
  let ahead: Promise<void> | null = null

  async function loadAhead(of: AheadOf): Promise<void> {
    const { rows: found, version } = await fetchAhead(of)
    if (found.length > AT_ONCE) await nextTask()
    const covered = new Set(found.map(({ run }) => run))
    for (const run of covered) askedSeries.add(run)
    answeredSeries = { runs: keyOf(covered), version }
    putSeries(found)
    if (found.length > AT_ONCE) await nextTask()
    if (covered.size) seriesLoaded.value = true
  }

  async function loadMissingSeries(): Promise<void> {
    await ahead
    await loadSeries([...visible.value].filter((run) => byNumber.has(run) && !askedSeries.has(run)))
  }

  function forgetSeries(): void {
    askedSeries.clear()
    answeredSeries = { runs: '', version: null }
    dropSeries(() => true)
  }

  // --- loading and live changes
  function replaceAll(news: RunRow[]): void {
    const named = new Set(news.map((row) => row.number))
    removeRuns([...byNumber.keys()].filter((run) => !named.has(run)))
    // A list of a thousand runs that says what is known must not paint a thousand lines anew.
    for (const row of news) if (!same(byNumber.get(row.number), row)) byNumber.set(row.number, row)
  }

  function removeRuns(gone: number[]): void {
    if (!gone.length) return
    const set = new Set(gone)
    for (const run of gone) {
      byNumber.delete(run)
      askedSeries.delete(run)
    }
    dropSeries((row) => set.has(row.run))
  }

  // --- what people do to runs
  /** Removed here, while the server may still tell of them. */
  const leaving = new Set<number>()

  /** Takes runs away at once, whose removal the server was asked for. */
  function leave(gone: readonly RunRow[]): void {
    for (const { number } of gone) leaving.add(number)
    removeRuns(gone.map(({ number }) => number))
  }

  /**
   * Looks for runs again that were taken back. Where the server had not yet let go of one nothing changes for the
   * server, and it tells nobody: so it is asked.
   */
  async function comeBack(numbers: Iterable<number>): Promise<void> {
    for (const number of numbers) leaving.delete(number)
    await load()
  }

  /** Puts new marks of some runs in place, as the server answered them. */
  function putMarks(byId: Readonly<Record<string, WireMarks>>): void {
    for (const row of [...byNumber.values()]) {
      const marks = byId[row.id]
      if (marks) byNumber.set(row.number, { ...row, marks, colour: marks.colour ?? row.ownColour })
      else if (row.marks.baseline && Object.values(byId).some((one) => one.baseline)) {
        byNumber.set(row.number, { ...row, marks: { ...row.marks, baseline: false } })
      }
    }
  }

  /**
   * Asks for the runs, and for the series of those that are visible.
   * @param shown which will be, where that can be said before the runs are known: their series are asked for at once
   */
  async function load(shown: AheadOf | null = null): Promise<void> {
    // Who cannot be answered now is told when the runs are there and their series are asked for.
    if (shown) ahead = loadAhead(shown).catch(() => undefined)
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
      // From here on every change is told; what changed before, between our first questions and this, was not. Curves
      // come first.
      whenIdle(() => {
        askedSeries.clear()
        void loadMissingSeries()
      })
    } else {
      for (const row of news) byNumber.set(row.number, row)
      removeRuns(message.removed)
    }
    putSeries(message.series.map((row) => seriesRow(row.name, row)).filter((row) => byNumber.has(row.run)))
    loaded.value = true
    error.value = null
  }

  hub.listen({
    runs: receive,
    removed: (numbers) => {
      const gone = new Set(numbers)
      dropSeries((row) => gone.has(row.series))
    },
    storeChanged: () => {
      forgetSeries()
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
    series,
    seriesOf,
    allSeries,
    seriesSet,
    seriesLoaded,
    baseline,
    leave,
    comeBack,
    putMarks,
    visible,
    chosen,
    isVisible,
    toggle,
    only,
    choose,
    showAll,
    colourOf,
    dashOf,
  }
})
