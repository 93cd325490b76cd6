/**
 * Binds a LinePlot to a component: creates it with the element, follows its size, passes on settings, and returns small
 * reactive facts at a readable rate. Called by LineChart.vue.
 */
import { onBeforeUnmount, onMounted, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import { useHub } from '../data/live/hub'
import type { ApiProblem } from '../data/types'
import type { ChartGroup } from './chartGroup'
import type { PlotLayer } from './drawing/layers'
import { LinePlot, type PlotSettings, type Size } from './linePlot'
import type { PlotSeries, PlottedSeries, Reading } from './reading/readout'
import type { Moment, MomentMark } from './drawing/moments'
import type { Scale } from './scales/scale'
import { NOTHING_COUNTED, type PlotCounts } from './scales/yAxis'

/** Sentences and tables change at most this often while points stream in. */
const TELL_EVERY = 500

export interface PlotFacts {
  plotted: readonly PlottedSeries[]
  readings: Reading[]
  /** The place under the pointer, on any chart of the group. */
  hover: number | null
  /** The step cursor, on a logged step of this chart. */
  cursor: number | null
  /** The mark of moments under the pointer, on this chart. */
  moment: MomentMark | null
  counts: PlotCounts
  /** The size up to which each axis is linear; null for other scales. */
  linear: { x: number | null; y: number | null }
  /** No point is in the zoomed range. */
  blank: boolean
  ready: boolean
  /** Why points of a curve could not be fetched, if none are held. */
  problem: ApiProblem | null
}

const NOTHING: PlotFacts = {
  plotted: [],
  readings: [],
  hover: null,
  cursor: null,
  moment: null,
  counts: NOTHING_COUNTED,
  linear: { x: null, y: null },
  blank: false,
  ready: false,
  problem: null,
}

function linearOf({ kind, linear }: Scale): number | null {
  return kind === 'symlog' ? linear : null
}

export interface LinePlotInput {
  series: () => readonly PlotSeries[]
  moments: () => readonly Moment[]
  layers: () => readonly PlotLayer[]
  settings: () => PlotSettings
  group: ChartGroup
  /** Whether some lines are read on an axis at the right; of one chart always the same. */
  twoAxes: boolean
  picked: (step: number) => void
}

export function useLinePlot(
  host: Readonly<Ref<HTMLElement | null>>,
  input: LinePlotInput,
): {
  plot: ShallowRef<LinePlot | null>
  facts: ShallowRef<PlotFacts>
} {
  const plot = shallowRef<LinePlot | null>(null)
  const facts = shallowRef<PlotFacts>(NOTHING)
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0
  let told = -Infinity

  function tell(): void {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
    timer = undefined
    frame = 0
    told = performance.now()
    const one = plot.value
    if (!one) return
    facts.value = {
      plotted: one.plotted,
      readings: one.readings(),
      hover: input.group.hover,
      cursor: one.cursor,
      moment: one.pointedMoment,
      counts: one.counts,
      linear: { x: linearOf(one.scales.x), y: linearOf(one.scales.y) },
      blank: one.blank,
      ready: one.ready,
      problem: one.plotted.find(({ series }) => series.error !== null && !series.loaded)?.series.error ?? null,
    }
  }
  function tellSoon(): void {
    timer ??= setTimeout(tell, Math.max(0, told + TELL_EVERY - performance.now()))
  }
  function tellNextFrame(): void {
    frame ||= requestAnimationFrame(tell)
  }

  function make(element: HTMLElement, size: Size): void {
    const made = new LinePlot(
      element,
      size,
      useHub().series,
      input.group,
      {
        painted: tellSoon,
        hovered: tellNextFrame,
        picked: input.picked,
      },
      input.twoAxes,
    )
    plot.value = made
    made.setSettings(input.settings())
    made.setSeries(input.series(), input.moments(), input.layers())
  }

  let sizes: ResizeObserver | null = null
  onMounted(() => {
    const element = host.value
    if (!element) return
    // Reported after the layout of the page: if each chart measured its size, each would cost a layout.
    sizes = new ResizeObserver(([{ contentRect }]) => {
      const size = { width: Math.round(contentRect.width), height: Math.round(contentRect.height) }
      if (plot.value) plot.value.resize(size.width, size.height)
      else make(element, size)
    })
    sizes.observe(element)
  })
  // A run's row changes with every point, but the drawn part hardly ever; only that needs a drawing.
  watch([() => JSON.stringify([input.series(), input.moments()]), input.layers], () =>
    plot.value?.setSeries(input.series(), input.moments(), input.layers()),
  )
  watch(input.settings, (settings) => {
    plot.value?.setSettings(settings)
    tellNextFrame()
  })
  onBeforeUnmount(() => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
    sizes?.disconnect()
    plot.value?.destroy()
    plot.value = null
  })
  return { plot, facts }
}
