/** The tags of the visible runs by name, and the curves of each. Called by the page and its cards. */
import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'

import { restartAfter, type PlotSeries } from '../../charts/curves/parts'
import type { Moment } from '../../charts/drawing/moments'
import { COLOURS } from '../../data/runs/colours'
import { useLiveEdits } from '../../data/runs/liveEdits'
import { useRuns } from '../../data/runs/runs'
import type { SeriesRow } from '../../data/types'

export interface TagIndex {
  /** All names; changes only when a tag is added or removed. */
  names: ShallowRef<readonly string[]>
  /** Number of visible runs that have a name. */
  runsOf(names: readonly string[]): readonly number[]
  /** The server's rows of some names, with or without superseded segments; oldest run first. */
  rowsOf(names: readonly string[], superseded: boolean): SeriesRow[]
  /** The same without updates for every new point; changes when a series is added or removed. */
  settledRowsOf(names: readonly string[], superseded: boolean): readonly SeriesRow[]
  /**
   * The curves of some names.
   * @param only runs to include; all by default
   */
  seriesOf(names: readonly string[], superseded: boolean, only?: ReadonlySet<number>): PlotSeries[]
  /** Steps at which the runs of some names were restarted, or their settings changed. */
  momentsOf(names: readonly string[], only?: ReadonlySet<number>): Moment[]
  /** The tags that have one point in every run. A running training that is at that point may record more. */
  singles: ComputedRef<ReadonlySet<string>>
  /** Whether any visible run has superseded segments. */
  anySuperseded: ComputedRef<boolean>
  loaded: ComputedRef<boolean>
}

function bySegmentAndStep(a: SeriesRow, b: SeriesRow): number {
  return (
    a.run - b.run ||
    a.segment - b.segment ||
    (a.firstStep ?? Infinity) - (b.firstStep ?? Infinity) ||
    a.series - b.series
  )
}

function groupByName(rows: Iterable<SeriesRow>, visible: ReadonlySet<number>): Map<string, SeriesRow[]> {
  const groups = new Map<string, SeriesRow[]>()
  for (const row of rows) {
    if (!visible.has(row.run)) continue
    const group = groups.get(row.name)
    if (group) group.push(row)
    else groups.set(row.name, [row])
  }
  for (const group of groups.values()) if (group.length > 1) group.sort(bySegmentAndStep)
  return groups
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at])
}

/** The rows of one name by run. */
interface NameGroup {
  rows: readonly SeriesRow[]
  byRun: ReadonlyMap<number, RunPart>
}

interface RunPart {
  rows: readonly SeriesRow[]
  newest: number
  /** Wall time of its first point, null if unknown. */
  origin: number | null
  firstStep: number | null
}

function groupOfRows(rows: readonly SeriesRow[]): NameGroup {
  const listed = new Map<number, SeriesRow[]>()
  for (const row of rows) {
    const part = listed.get(row.run)
    if (part) part.push(row)
    else listed.set(row.run, [row])
  }
  const byRun = new Map<number, RunPart>()
  for (const [run, own] of listed) byRun.set(run, partOf(own))
  return { rows, byRun }
}

/** In plain loops, because with a thousand runs each card has as many series. */
function partOf(rows: readonly SeriesRow[]): RunPart {
  let newest = -Infinity
  let origin = Infinity
  let step = Infinity
  for (const { segment, firstWall, firstStep } of rows) {
    newest = Math.max(newest, segment)
    origin = Math.min(origin, firstWall ?? Infinity)
    step = Math.min(step, firstStep ?? Infinity)
  }
  return { rows, newest, origin: origin === Infinity ? null : origin, firstStep: step === Infinity ? null : step }
}

const EMPTY = groupOfRows([])
/**
 * Offset of run keys between the names of one chart. Code that joins the series of a run then sees different runs, so
 * no curve continues another name's.
 */
const APART = 2 ** 40
/** Dashes distinguish the names on one chart, because colours distinguish the runs. */
const NAME_DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [10, 4]]

function useSingles(rowsByName: ComputedRef<ReadonlyMap<string, readonly SeriesRow[]>>): TagIndex['singles'] {
  const runs = useRuns()
  /** A series never loses points, so most tags are looked at once. */
  const candidates = computed(() =>
    [...rowsByName.value].filter(
      ([, rows]) => rows.every(({ count }) => count === 1) && new Set(rows.map(({ run }) => run)).size === rows.length,
    ),
  )
  const isOver = ({ run, lastStep }: SeriesRow): boolean => {
    const row = runs.byNumber.get(run)
    return row?.state !== 'running' || (row.lastStep ?? -Infinity) > (lastStep ?? -Infinity)
  }
  const found = computed(() =>
    candidates.value
      .filter(([, rows]) => rows.every((row) => (runs.seriesOf(row.series)?.count ?? 1) === 1 && isOver(row)))
      .map(([name]) => name),
  )
  const kept = shallowRef<ReadonlySet<string>>(new Set())
  watch(
    found,
    (names) => {
      if (names.length !== kept.value.size || names.some((name) => !kept.value.has(name))) kept.value = new Set(names)
    },
    { immediate: true },
  )
  return computed(() => kept.value)
}

export function useTagIndex(): TagIndex {
  const runs = useRuns()
  const edits = useLiveEdits(() => runs.visible)
  const rowsByName = computed(() => {
    void runs.seriesSet
    return groupByName(runs.allSeries(), runs.visible)
  })
  // Computed when a card first asks, because ten thousand names may exist and a few dozen are shown.
  const made = computed(() => (void rowsByName.value, new Map<string, NameGroup>()))
  const names = shallowRef<readonly string[]>([])
  watch(
    rowsByName,
    (found) => {
      const next = [...found.keys()]
      if (!same(names.value, next)) names.value = next
    },
    { immediate: true },
  )
  function groupOf(name: string): NameGroup {
    const rows = rowsByName.value.get(name)
    if (!rows) return EMPTY
    let group = made.value.get(name)
    if (!group) made.value.set(name, (group = groupOfRows(rows)))
    return group
  }
  const shownOf = (name: string, superseded: boolean): readonly SeriesRow[] => {
    const { rows, byRun } = groupOf(name)
    return superseded ? rows : rows.filter((row) => row.segment === byRun.get(row.run)?.newest)
  }

  /** A tag may be recorded rarely, so the restart of the run itself is more exact than the tag's first point. */
  function restartOf(row: SeriesRow, { rows: parts, newest }: RunPart): number | null {
    if (row.segment === newest) return null
    const segments = runs.byNumber.get(row.run)?.segments ?? []
    return restartAfter(
      row.segment,
      parts.map(({ segment, firstStep }) => ({
        segment,
        firstStep: segments.find(({ number }) => number === segment)?.firstStep ?? firstStep,
      })),
    )
  }

  function momentsOfRun(run: number, { origin, firstStep: originStep }: RunPart): Moment[] {
    const row = runs.byNumber.get(run)
    const whose = { run, name: row?.name ?? '', colour: runs.colourOf(run), origin, originStep }
    return [
      ...(row?.segments ?? [])
        .slice(1)
        .map(({ firstStep, firstWall }) => ({ ...whose, step: firstStep, wall: firstWall })),
      ...edits.of(run).map((edit) => ({ ...whose, ...edit })),
    ]
  }

  function lineOf(row: SeriesRow, part: RunPart, at: number, of: number): PlotSeries {
    const alone = of > 1 && runs.visible.size === 1
    const run = runs.byNumber.get(row.run)
    const name = runs.shortName(run?.name ?? '')
    return {
      series: row.series,
      run: row.run + at * APART,
      name: of === 1 ? name : alone ? row.name : `${name} · ${row.name}`,
      segment: row.segment,
      restart: restartOf(row, part),
      origin: part.origin,
      originStep: part.firstStep,
      colour: alone ? `var(--run-${(at % COLOURS) + 1})` : runs.colourOf(row.run),
      ...(run && run.directory !== name ? { directory: run.directory } : {}),
      ...(of === 1 ? {} : { of: { run: name, tag: row.name } }),
      ...(runs.baseline?.number === row.run ? { weight: 'strong' as const } : {}),
      dash: of > 1 && !alone ? [...NAME_DASHES[at % NAME_DASHES.length]] : runs.dashOf(row.run),
    }
  }

  const settledRowsOf = (wanted: readonly string[], superseded: boolean): SeriesRow[] =>
    wanted.flatMap((name) => [...shownOf(name, superseded)])

  const singles = useSingles(rowsByName)
  return {
    names,
    singles,
    settledRowsOf,
    runsOf: (wanted) => [...new Set(wanted.flatMap((name) => [...groupOf(name).byRun.keys()]))],
    rowsOf: (wanted, superseded) => settledRowsOf(wanted, superseded).flatMap((row) => runs.seriesOf(row.series) ?? []),
    seriesOf: (wanted, superseded, only) =>
      wanted.flatMap((name, at) => {
        const group = groupOf(name)
        return shownOf(name, superseded).flatMap((row) => {
          const part = group.byRun.get(row.run)
          return part && (!only || only.has(row.run)) ? [lineOf(row, part, at, wanted.length)] : []
        })
      }),
    momentsOf(wanted, only) {
      const found = new Map<number, Moment[]>()
      for (const name of wanted) {
        for (const [run, part] of groupOf(name).byRun)
          if (!only || only.has(run)) found.set(run, momentsOfRun(run, part))
      }
      return [...found.values()].flat()
    },
    anySuperseded: computed(() => {
      for (const rows of rowsByName.value.values()) {
        const newest = new Map<number, number>()
        for (const { run, segment } of rows) {
          const known = newest.get(run)
          if (known !== undefined && known !== segment) return true
          newest.set(run, segment)
        }
      }
      return false
    }),
    loaded: computed(() => runs.loaded && runs.seriesLoaded),
  }
}
