/** The tiles of a grid's plane. While new ones are loading, those of the last plane are kept. */
import { computed, onBeforeUnmount, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import type { ApiProblem } from '../../data/types'
import { TILE } from '../tiles'
import type { TensorModel } from '../useTensor'
import { neededTiles } from './paint'
import { TileStore } from './tileStore'
import type { GridView } from './useGridView'
import type { TileAt } from './viewport'

export interface GridTiles {
  store: ShallowRef<TileStore | null>
  problem: ShallowRef<ApiProblem | null>
  /** Number of tiles that have arrived. */
  arrived: ShallowRef<number>
  /** The tile that holds the cell under the cursor. */
  cursorTile: ComputedRef<TileAt>
  /** The tiles of the last plane, until the first visible tile of the new one has arrived. */
  outgoing: () => TileStore | null
}

export function useGridTiles(
  model: TensorModel,
  { view, frame, row, column }: GridView,
  isDifference: Ref<boolean>,
): GridTiles {
  const { swap } = model.state
  const store = shallowRef<TileStore | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const arrived = shallowRef(0)
  const otherName = (): string | null => (isDifference.value ? (model.other.value?.name ?? null) : null)
  const tilesKey = computed(() => {
    const source = model.source.value
    if (!source || !frame.value.rows || !frame.value.columns) return null
    return model.known.value ? [source.key, model.planeText.value, swap.value, otherName() ?? ''].join('\n') : undefined
  })

  let before: TileStore | null = null
  function forgetBefore(): void {
    before?.end()
    before = null
  }

  function open(): TileStore | null {
    const source = model.source.value
    if (tilesKey.value === null || !source) {
      forgetBefore()
      return null
    }
    const [slice, other, swapped] = [model.planeText.value, otherName(), swap.value]
    const made: TileStore = new TileStore(
      (at, signal) => source.tile({ ...at, slice, swap: swapped, other }, signal),
      () => {
        problem.value = made.problem
        if (made.problem) forgetBefore()
        arrived.value++
      },
    )
    return made
  }

  watch(
    tilesKey,
    (key) => {
      if (key === undefined) return
      forgetBefore()
      before = store.value
      before?.want([])
      problem.value = null
      store.value = open()
    },
    { immediate: true },
  )
  const cursorTile = computed(() => ({
    level: 0,
    row: Math.floor(row.value / TILE),
    column: Math.floor(column.value / TILE),
  }))
  watch(
    [store, view, frame, cursorTile],
    () => {
      if (frame.value.width) store.value?.want([...neededTiles(view.value, frame.value), cursorTile.value])
    },
    { immediate: true, flush: 'post' },
  )
  onBeforeUnmount(() => {
    forgetBefore()
    store.value?.end()
  })

  function outgoing(): TileStore | null {
    if (before && neededTiles(view.value, frame.value).some((at) => store.value?.get(at))) forgetBefore()
    return before
  }

  return { store, problem, arrived, cursorTile, outgoing }
}
