/** Series for components: `useSpark` gives the few points of a small line in a table row. */
import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'

import type { Columns } from './columns'
import { thinOut } from './envelope'
import { useHub } from '../live/hub'
import type { Watch } from './seriesStore'

export interface SparkPoints {
  x: Float64Array
  y: Float64Array
}

const SPARK_WIDTH = 96
/** A spark is only glanced at, so two redraws a second are enough. */
const SPARK_EVERY = 500

/**
 * The points of a small line, kept current while the component lives.
 * @param wanted number of the series; null for none
 * @param width width in pixels; at most four points per pixel are returned
 */
export function useSpark(wanted: () => number | null, width = SPARK_WIDTH): { points: Ref<SparkPoints | null> } {
  const { series } = useHub()
  const points = shallowRef<SparkPoints | null>(null)
  let held: Watch | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let drawn = -Infinity

  function update(): void {
    timer = undefined
    drawn = performance.now()
    const columns = held?.series.full
    points.value = columns?.length ? spark(columns, width) : null
  }
  function changed(): void {
    timer ??= setTimeout(update, Math.max(0, drawn + SPARK_EVERY - performance.now()))
  }
  function release(): void {
    clearTimeout(timer)
    timer = undefined
    held?.release()
    held = null
  }

  watch(
    wanted,
    (number) => {
      release()
      drawn = -Infinity
      if (number !== null) held = series.watch(number, width, changed)
      update()
      drawn = -Infinity
    },
    { immediate: true },
  )
  onScopeDispose(release)
  return { points }
}

function spark(columns: Columns, width: number): SparkPoints {
  const rows = thinOut(columns.step, columns.value, columns.length, width)
  return { x: rows.map((row) => columns.step[row]), y: rows.map((row) => columns.value[row]) }
}
