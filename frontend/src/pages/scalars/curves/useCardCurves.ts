/**
 * The curves of one card: each run in its colour, grey lines with a few in colour, the best runs, or a summary of all.
 * Called by ChartCard.
 */
import { computed, onBeforeUnmount, onMounted, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import type { PlotSeries } from '../../../charts/curves/parts'
import { prefersLog } from '../../../charts/scales/range'
import type { ScaleKind } from '../../../charts/scales/scale'
import type { ChartView } from '../../../charts/view'
import { useRuns } from '../../../data/runs/runs'
import type { SeriesRow } from '../../../data/types'
import type { ScalarsContext } from '../context'
import type { RunGroup } from './grouping'
import { drawnAs, topRuns, type Drawn } from './many'
import { useRunLayers } from './useRunLayers'

const GREY = 'var(--line-strong)'
/** Number of members drawn for a highlighted group. */
const MOST_MEMBERS = 60
/** Number of runs highlighted among grey ones. */
const MOST_NOTED = 10

export interface CardCurvesInput {
  tags: () => readonly string[]
  /** The tags on the right axis. */
  right: () => readonly string[]
  context: ScalarsContext
  element: Readonly<Ref<HTMLElement | null>>
}

/** Whether the values of a series span so wide a range that a logarithmic axis shows them better. */
function spread(own: readonly SeriesRow[]): boolean {
  const finite = own.filter((row) => Number.isFinite(row.min))
  if (!finite.length) return false
  let low = Infinity
  let high = -Infinity
  for (const { min, max } of finite) {
    low = Math.min(low, min)
    high = Math.max(high, max)
  }
  return prefersLog(low, high)
}

/** The scales of a card's axes, and the tags on each. */
function useCardAxes(
  { tags, right, context }: Omit<CardCurvesInput, 'element'>,
  rows: ComputedRef<readonly SeriesRow[]>,
) {
  const { params } = context
  const isRight = computed(() => new Set(right()))
  const log = computed(() =>
    spread(isRight.value.size ? rows.value.filter(({ name }) => !isRight.value.has(name)) : rows.value),
  )
  const rightLog = computed(
    () => isRight.value.size > 0 && spread(rows.value.filter(({ name }) => isRight.value.has(name))),
  )
  const view = computed<ChartView>(() => {
    const wanted = params.scale.value
    const scaleOf = (log: boolean): ScaleKind => (wanted === 'auto' ? (log ? 'log' : 'linear') : wanted)
    return {
      ...context.view.value,
      yScale: scaleOf(log.value),
      ...(isRight.value.size ? { rightScale: scaleOf(rightLog.value) } : {}),
    }
  })
  /** The tags on each axis, if there are two. */
  const axisNames = computed(() =>
    isRight.value.size
      ? {
          left: tags()
            .filter((tag) => !isRight.value.has(tag))
            .join(', '),
          right: right().join(', '),
        }
      : null,
  )
  return { isRight, view, axisNames }
}

/** The size of the plot within a card, known before the plot is mounted. */
function useChartSize(element: Readonly<Ref<HTMLElement | null>>): ShallowRef<{ width: number; height: number }> {
  const size = shallowRef({ width: 0, height: 0 })
  let sizes: ResizeObserver | null = null
  onMounted(() => {
    const measured = element.value
    if (!measured) return
    sizes = new ResizeObserver(([{ contentRect }]) => {
      const width = Math.max(0, contentRect.width - 60)
      const height = Math.max(0, Math.min(contentRect.height, 480) - 86)
      if (width !== size.value.width || height !== size.value.height) size.value = { width, height }
    })
    sizes.observe(measured)
  })
  onBeforeUnmount(() => sizes?.disconnect())
  return size
}

export function useCardCurves({ tags, right, context, element }: CardCurvesInput) {
  const { index, params, group, grouping } = context
  const runs = useRuns()
  const superseded = computed(() => params.superseded.value === 'show')
  /** The group whose members are shown. */
  const pointed = ref<number | null>(null)

  const members = computed(() => index.runsOf(tags()))
  const rows = computed(() => index.rowsOf(tags(), superseded.value))
  const drawn = computed<Drawn>(() => {
    // Several tags have no common mean, so their runs are drawn separately.
    if (tags().length > 1) return drawnAs('lines', members.value.length)
    return params.groupBy.value ? 'bands' : drawnAs(params.many.value, members.value.length)
  })

  const { isRight, view, axisNames } = useCardAxes({ tags, right, context }, rows)

  /** Marked runs, which are highlighted among many. */
  const noted = computed(() => {
    const marked = members.value.filter((run) => {
      const marks = runs.byNumber.get(run)?.marks
      return marks?.pinned === true || marks?.baseline === true
    })
    return new Set(marked.slice(0, MOST_NOTED))
  })
  const top = computed(() => (drawn.value === 'top' ? new Set(topRuns(rows.value, params.rank.value)) : null))
  const all = (only?: ReadonlySet<number>): PlotSeries[] => {
    const lines = index.seriesOf(tags(), superseded.value, only)
    return isRight.value.size
      ? lines.map((line) => (isRight.value.has(line.of?.tag ?? '') ? { ...line, side: 'right' } : line))
      : lines
  }
  const grey = (line: PlotSeries): PlotSeries => ({ ...line, colour: GREY, dash: [], weight: 'faint' })

  const groups = computed<readonly RunGroup[]>(() => {
    if (drawn.value === 'bands' && params.groupBy.value) {
      const here = new Set(members.value)
      return (grouping.groups.value ?? [])
        .map((one) => ({ ...one, runs: one.runs.filter((run) => here.has(run)) }))
        .filter((one) => one.runs.length)
    }
    if (drawn.value !== 'bands' && drawn.value !== 'density') return []
    return [{ name: context.allRuns.value, runs: members.value, colour: 'var(--run-1)' }]
  })
  const pointedRuns = computed(() => {
    const one = pointed.value === null ? undefined : groups.value[pointed.value]
    return one ? { runs: new Set(one.runs.slice(0, MOST_MEMBERS)), colour: one.colour } : null
  })

  const series = computed<PlotSeries[]>(() => {
    switch (drawn.value) {
      case 'colour':
        return all()
      case 'top':
        return all(top.value ?? undefined)
      case 'grey': {
        const lines = all()
        const apart = (line: PlotSeries): boolean => noted.value.has(line.run)
        return [...lines.filter((line) => !apart(line)).map(grey), ...lines.filter(apart)]
      }
      case 'density':
        return all(noted.value)
      default: {
        const { runs: wanted, colour } = pointedRuns.value ?? {}
        return wanted
          ? all(wanted).map((line) => ({ ...line, colour: colour ?? GREY, dash: [], weight: 'faint' as const }))
          : []
      }
    }
  })
  const moments = computed(() =>
    drawn.value === 'colour' || drawn.value === 'top' ? index.momentsOf(tags(), top.value ?? undefined) : [],
  )

  const size = useChartSize(element)
  const shared = useRunLayers({
    tag: () => tags()[0],
    wanted: () => (drawn.value === 'bands' || drawn.value === 'density' ? drawn.value : null),
    groups: () => groups.value,
    view: () => view.value,
    line: () => params.line.value,
    band: () => params.band.value,
    range: () => group.range.value,
    size: () => size.value,
    rows: () => rows.value,
  })

  return {
    axisNames,
    view,
    drawn,
    series,
    rows,
    moments,
    shared,
    pointed,
    runs: computed(() => members.value.length),
    shown: computed(() => top.value?.size ?? members.value.length),
    points: computed(() => shared.points.value ?? rows.value.reduce((sum, row) => sum + row.count, 0)),
  }
}
