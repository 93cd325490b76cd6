/**
 * Fetches the summary layers of a chart and keeps them current when the chart is zoomed, its settings change, or points
 * arrive. Called by cards.
 */
import { computed, onBeforeUnmount, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'

import type { PlotLayer } from '../../../charts/drawing/layers'
import { linearPart, scaleOf } from '../../../charts/scales/scale'
import type { Range } from '../../../charts/scales/range'
import type { ChartView, XAxis } from '../../../charts/view'
import { fetchDensity, fetchGroups } from '../../../data/series/groups'
import type { ApiProblem, SeriesRow } from '../../../data/types'
import type { RunGroup } from './grouping'
import { BandLayer, DensityLayer, type PaintedBand } from './runLayers'
import type { BandKind, GroupLine } from '../viewParams'

export interface RunLayersInput {
  tag: () => string
  /** Null draws no summary. */
  wanted: () => 'bands' | 'density' | null
  groups: () => readonly RunGroup[]
  view: () => ChartView
  line: () => GroupLine
  band: () => BandKind
  range: () => Range | null
  /** Range of the visible chart. */
  size: () => { width: number; height: number }
  rows: () => readonly SeriesRow[]
}

export interface RunLayers {
  layers: ComputedRef<readonly PlotLayer[]>
  bands: ComputedRef<readonly PaintedBand[]>
  /** Number of points counted in the drawn layer; null before the first. */
  points: ComputedRef<number | null>
  loaded: ComputedRef<boolean>
  problem: ShallowRef<ApiProblem | null>
  retry(): void
}

/** A moving range or slider asks at once, and then only when it rests. In ms. */
const REST = 90
/** Interval in ms of requests while points arrive, for a summary of a thousand runs. */
const LIVE_EVERY = 2000

/** The server's names of axes. */
function axisName(x: XAxis): string {
  return { 'relative-step': 'relative_step', relative: 'relative_time' }[x as string] ?? x
}

export function useRunLayers(input: RunLayersInput): RunLayers {
  const drawn = shallowRef<BandLayer | DensityLayer | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  let turn: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let fetched = -Infinity
  /** Number of points at the last request. */
  let seen = 0
  let moved = -Infinity

  const yScale = computed(() => {
    const { yScale: kind } = input.view()
    if (kind !== 'symlog') return scaleOf(kind)
    const largest = Math.max(
      0,
      ...input
        .rows()
        .flatMap(({ min, max }) => [Math.abs(min), Math.abs(max)])
        .filter(Number.isFinite),
    )
    return scaleOf(kind, linearPart(largest))
  })
  /** Everything that an answer depends on; null if nothing is requested. */
  const asked = computed(() => {
    const wanted = input.wanted()
    const groups = input.groups()
    const { width, height } = input.size()
    if (!wanted || !groups.length || width < 16 || height < 8) return null
    const { x, xScale, smoothing } = input.view()
    const range = input.range()
    return JSON.stringify({
      wanted,
      tag: input.tag(),
      runs: groups.map(({ runs }) => runs),
      line: input.line(),
      band: input.band(),
      height: Math.min(600, Math.round(height)),
      y: wanted === 'density' ? [yScale.value.kind, yScale.value.linear] : null,
      look: {
        width: Math.min(2000, Math.ceil(width / 50) * 50),
        x: axisName(x),
        x_scale: xScale,
        smoothing: smoothing.amount,
        smoothing_kind: smoothing.kind,
        from: range?.min ?? null,
        to: range?.max ?? null,
      },
    })
  })
  const counted = computed(() => (asked.value === null ? 0 : input.rows().reduce((sum, row) => sum + row.count, 0)))

  async function fetch(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    turn?.abort()
    turn = null
    if (asked.value === null) {
      drawn.value = null
      return
    }
    const own = (turn = new AbortController())
    fetched = performance.now()
    seen = counted.value
    try {
      const layer = await load(own.signal)
      if (own !== turn) return
      drawn.value = layer
      problem.value = null
    } catch (failure) {
      if (own !== turn || (failure instanceof DOMException && failure.name === 'AbortError')) return
      problem.value = failure as ApiProblem
    }
    turn = null
    followPoints()
  }

  async function load(signal: AbortSignal): Promise<BandLayer | DensityLayer> {
    const { wanted, tag, look, height } = JSON.parse(asked.value ?? '') as {
      wanted: string
      tag: string
      look: { width: number }
      height: number
    }
    const groups = input.groups()
    if (wanted === 'density') {
      const scale = yScale.value
      const density = await fetchDensity(
        tag,
        groups.flatMap(({ runs }) => runs),
        { ...look, height, y_scale: scale.kind, y_linear: scale.linear } as never,
        signal,
      )
      return new DensityLayer(density, scale, scaleOf(input.view().xScale))
    }
    const found = await fetchGroups(
      tag,
      groups.map(({ runs }) => runs),
      { ...look, line: input.line(), band: input.band() } as never,
      signal,
    )
    return new BandLayer(
      found
        .filter(({ members }) => members)
        .map((band) => ({ ...band, name: groups[band.group].name, colour: groups[band.group].colour })),
    )
  }

  function soon(after: number): void {
    if (timer !== undefined) clearTimeout(timer)
    timer = setTimeout(() => void fetch(), after)
  }
  watch(
    asked,
    () => {
      const now = performance.now()
      const rested = now - moved > REST
      moved = now
      if (rested || drawn.value === null) void fetch()
      else soon(REST)
    },
    { immediate: true },
  )
  /** New points wait for the pending answer; otherwise a slow server would never finish one. */
  function followPoints(): void {
    if (asked.value === null || timer !== undefined || turn !== null || counted.value === seen) return
    soon(Math.max(REST, fetched + LIVE_EVERY - performance.now()))
  }
  watch(counted, followPoints)
  onBeforeUnmount(() => {
    clearTimeout(timer)
    turn?.abort()
    turn = null
  })

  const shown = computed(() => (input.wanted() ? drawn.value : null))
  return {
    layers: computed(() => (shown.value ? [shown.value] : [])),
    bands: computed(() => (shown.value instanceof BandLayer ? shown.value.bands : [])),
    points: computed(() => {
      if (shown.value instanceof DensityLayer) return shown.value.density.points
      return shown.value ? shown.value.bands.reduce((sum, { points }) => sum + points, 0) : null
    }),
    loaded: computed(() => shown.value !== null),
    problem,
    retry: () => void fetch(),
  }
}
