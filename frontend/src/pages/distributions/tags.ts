/** The histograms of the visible runs: tags by name with a part for each segment of a run. Called by the page. */
import { computed, onScopeDispose, shallowRef, watch } from 'vue'

import { api, ask } from '../../data/api'
import { useRuns } from '../../data/runs/runs'
import type { components } from '../../data/schema'
import type { ApiProblem } from '../../data/types'

type WireTag = components['schemas']['RecordedName']
type WireSeries = components['schemas']['RecordedSeries']

/** One series of a run under a tag, up to the step from which a later segment replaces it. */
export interface Part {
  series: number
  count: number
  /** The first step that a later segment trained again; null for the newest segment. */
  until: number | null
}

/** The histograms of one run under one tag: the content of a card. */
export interface RunTag {
  key: string
  tag: string
  run: number
  /** The runs whose elements are counted together; usually the run alone. */
  together: number[]
  parts: Part[]
  count: number
  /** Its first step; null if unknown. */
  firstStep: number | null
  /** The number of its first series: series are numbered in the order of their first record. */
  recorded: number
}

interface Restart {
  number: number
  firstStep: number | null
}

const AT_MOST_EVERY = 1000

function startsAfter(segment: number, series: readonly WireSeries[], restarts: readonly Restart[]): number | null {
  const starts = [
    ...series.filter((one) => one.segment > segment).map((one) => one.first_step),
    ...restarts.filter((one) => one.number > segment).map((one) => one.firstStep),
  ].filter((step) => step !== null)
  return starts.length ? Math.min(...starts) : null
}

/** The parts of one run, the oldest first. A later segment replaces the earlier ones from its first step on. */
export function partsOf(series: readonly WireSeries[], restarts: readonly Restart[]): Part[] {
  const ordered = [...series].sort(
    (a, b) => a.segment - b.segment || (a.first_step ?? 0) - (b.first_step ?? 0) || a.series - b.series,
  )
  const newest = Math.max(...ordered.map((one) => one.segment))
  return ordered
    .map((one) => {
      const until = one.segment === newest ? null : startsAfter(one.segment, ordered, restarts)
      return { series: one.series, count: one.count, until, first: one.first_step ?? 0 }
    })
    .filter(({ until, first }) => until === null || first < until)
    .map(({ series, count, until }) => ({ series, count, until }))
}

function lowest(steps: readonly (number | null)[]): number | null {
  const known = steps.filter((step) => step !== null)
  return known.length ? Math.min(...known) : null
}

/** One line of the elements of all runs of a tag, such as the seeds of one experiment. */
export function pooled(group: readonly RunTag[]): RunTag {
  const [first] = group
  return {
    ...first,
    key: `all:${first.tag}`,
    together: group.flatMap((one) => one.together),
    parts: group.flatMap((one) => one.parts),
    count: group.reduce((sum, one) => sum + one.count, 0),
    recorded: Math.min(...group.map((one) => one.recorded)),
    firstStep: lowest(group.map((one) => one.firstStep)),
  }
}

export function useHistogramTags() {
  const runs = useRuns()
  const tags = shallowRef<readonly WireTag[]>([])
  const loaded = shallowRef(false)
  const error = shallowRef<ApiProblem | null>(null)
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const numbers = [...runs.visible].sort((a, b) => a - b).join(',')
      const found = numbers
        ? (await ask(api.GET('/api/distributions/tags', { params: { query: { runs: numbers } } }))).tags
        : []
      if (mine !== turn) return
      tags.value = found
      error.value = null
      loaded.value = true
    } catch (problem) {
      if (mine === turn) error.value = problem as ApiProblem
    }
  }

  // The live connection reports runs, not histograms: a run that grew may have new ones.
  const shown = computed(() => [...runs.visible].join())
  const grown = computed(() =>
    [...runs.visible]
      .map((run) => `${run}:${runs.byNumber.get(run)?.bytesRead}:${runs.byNumber.get(run)?.lastStep}`)
      .join(),
  )
  let waiting: ReturnType<typeof setTimeout> | undefined
  const soon = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined
      void load()
    }, AT_MOST_EVERY)
  }
  watch([shown, () => runs.loaded], () => void (runs.loaded && load()), { immediate: true })
  watch(grown, () => void (runs.loaded && soon()))
  onScopeDispose(() => {
    clearTimeout(waiting)
    turn++
  })

  function runTag(tag: string, run: number, series: readonly WireSeries[]): RunTag {
    const parts = partsOf(series, runs.byNumber.get(run)?.segments ?? [])
    return {
      key: `${run}:${tag}`,
      tag,
      run,
      together: [run],
      parts,
      count: parts.reduce((sum, part) => sum + part.count, 0),
      recorded: Math.min(...series.map((one) => one.series)),
      firstStep: lowest(series.map((one) => one.first_step)),
    }
  }

  /** The visible runs of every tag, in the order of the run column. */
  const groups = computed<RunTag[][]>(() => {
    const order = runs.rows.map((row) => row.number).filter(runs.isVisible)
    return tags.value
      .map(({ name, series }) =>
        order.flatMap((run) => {
          const own = series.filter((one) => one.run === run)
          return own.length ? [runTag(name, run, own)] : []
        }),
      )
      .filter((group) => group.length > 0)
  })

  return { groups, loaded, error, load }
}
