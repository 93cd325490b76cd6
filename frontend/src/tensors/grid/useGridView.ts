/** The visible part of a plane in a grid: position, zoom and cell cursor. */
import { computed, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import type { TensorModel } from '../useTensor'
import { GUTTER_TOP } from './paintGutters'
import { centred, fitZoom, kept, revealed, TEXT_ZOOM, type Frame, type View } from './viewport'

export interface GridView {
  frame: ComputedRef<Frame>
  view: ShallowRef<View>
  /** Width of the row indices at the left, in pixels. */
  gutter: ComputedRef<number>
  /** The cell under the cursor. */
  row: ComputedRef<number>
  column: ComputedRef<number>
  /** Shows another part and stores its zoom. */
  show: (next: View) => void
}

/**
 * @param size of the canvas in CSS pixels
 * @param textWidth pixels that a cell needs for its text
 */
export function useGridView(
  model: TensorModel,
  size: Ref<{ width: number; height: number }>,
  textWidth: Ref<number>,
): GridView {
  const { view: viewName, cell, zoom } = model.state
  const rowCount = computed(() => model.plane.value.axes.find(({ role }) => role === 'rows')?.size ?? 0)
  const gutter = computed(() => Math.max(44, String(rowCount.value).length * 8 + 20))
  const frame = computed<Frame>(() => ({
    rows: model.plane.value.rows,
    columns: model.plane.value.columns,
    width: Math.max(0, size.value.width - gutter.value),
    height: Math.max(0, size.value.height - GUTTER_TOP),
    textWidth: textWidth.value,
  }))
  const view = shallowRef<View>({ zoom: TEXT_ZOOM, row: 0, column: 0 })
  const presetZoom = computed(() => (viewName.value === 'heat' ? fitZoom(frame.value) : TEXT_ZOOM))
  const wantedZoom = computed(() => zoom.value ?? presetZoom.value)
  const row = computed(() => Math.max(0, Math.min(cell.value.row, frame.value.rows - 1)))
  const column = computed(() => Math.max(0, Math.min(cell.value.column, frame.value.columns - 1)))
  const keyOf = ({ rows, columns }: Frame): string => `${rows}/${columns}/${viewName.value}`

  let placed = ''
  /** The last zoom that `show` stored, which the view already has. */
  let ownZoom: number | null = null
  watch(
    [frame, wantedZoom, row, column],
    ([now, next], [before]) => {
      if (!now.width || !now.rows) return
      const plane = keyOf(now)
      if (placed !== plane || (next !== view.value.zoom && next !== ownZoom)) {
        placed = plane
        view.value = centred(next, now, row.value, column.value)
      } else {
        const isResized = before && (before.width !== now.width || before.height !== now.height)
        view.value = revealed(isResized ? kept(view.value, now) : view.value, now, row.value, column.value)
      }
    },
    { immediate: true, flush: 'post' },
  )

  function show(next: View): void {
    view.value = next
    const round = Number(next.zoom.toPrecision(4))
    if (Math.abs(next.zoom - wantedZoom.value) < 1e-3 * next.zoom) return
    ownZoom = round
    viewName.value = round >= TEXT_ZOOM ? 'grid' : 'heat'
    placed = keyOf(frame.value)
    zoom.value = round
  }

  return { frame, view, gutter, row, column, show }
}
