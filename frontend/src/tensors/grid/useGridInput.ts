/** Pointer and keys of a grid: a drag pans, the wheel zooms, a click and the arrow keys move the cell cursor. */
import type { Ref, ShallowRef } from 'vue'

import type { Cell } from '../useTensor'
import { GUTTER_TOP } from './paintGutters'
import type { GridView } from './useGridView'
import { cellAt, cellSize, fitZoom, kept, panBy, snapped, zoomAt } from './viewport'

export interface GridPointer {
  wheel: (event: WheelEvent) => void
  press: (event: PointerEvent) => void
  drag: (event: PointerEvent) => void
  release: (event: PointerEvent) => void
  cancel: () => void
}

/** A pointer that moves less than this, in pixels, clicks. */
const CLICK = 4

export function useGridPointer(
  host: ShallowRef<HTMLElement | null>,
  { view, frame, gutter, show }: GridView,
  cell: Ref<Cell>,
): GridPointer {
  let dragged: { x: number; y: number; moved: boolean } | null = null
  const place = (event: MouseEvent): { x: number; y: number } => {
    const box = host.value?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0) - gutter.value, y: event.clientY - (box?.top ?? 0) - GUTTER_TOP }
  }
  return {
    wheel(event) {
      event.preventDefault()
      if (event.shiftKey || event.deltaX) {
        show(panBy(view.value, frame.value, event.deltaX || event.deltaY, event.deltaX ? event.deltaY : 0))
        return
      }
      const { x, y } = place(event)
      show(zoomAt(view.value, frame.value, 2 ** (-event.deltaY / 240), x, y))
    },
    press(event) {
      if (event.button !== 0) return
      dragged = { x: event.clientX, y: event.clientY, moved: false }
      host.value?.setPointerCapture(event.pointerId)
    },
    drag(event) {
      if (!dragged) return
      const [right, down] = [dragged.x - event.clientX, dragged.y - event.clientY]
      if (!dragged.moved && Math.hypot(right, down) < CLICK) return
      dragged = { x: event.clientX, y: event.clientY, moved: true }
      view.value = panBy(view.value, frame.value, right, down)
    },
    release(event) {
      const clicked = dragged && !dragged.moved
      if (dragged?.moved) view.value = snapped(view.value, frame.value)
      dragged = null
      if (!clicked) return
      const { x, y } = place(event)
      const found = x >= 0 && y >= 0 ? cellAt(view.value, frame.value, x, y) : null
      if (found) cell.value = found
    },
    cancel() {
      dragged = null
    },
  }
}

export interface GridKeys {
  key: (event: KeyboardEvent) => void
  /** Zooms around the cell under the cursor; factors above 1 zoom in. */
  zoomBy: (factor: number) => void
  /** Shows the whole plane. */
  fit: () => void
}

export function useGridKeys({ view, frame, row, column, show }: GridView, cell: Ref<Cell>): GridKeys {
  function moveTo(nextRow: number, nextColumn: number): void {
    cell.value = {
      row: Math.max(0, Math.min(frame.value.rows - 1, nextRow)),
      column: Math.max(0, Math.min(frame.value.columns - 1, nextColumn)),
    }
  }
  function zoomBy(factor: number): void {
    const { high, wide } = cellSize(view.value.zoom, frame.value)
    const x = (column.value + 0.5 - view.value.column) * wide
    const y = (row.value + 0.5 - view.value.row) * high
    show(zoomAt(view.value, frame.value, factor, x, y))
  }
  function fit(): void {
    show(kept({ zoom: fitZoom(frame.value), row: 0, column: 0 }, frame.value))
  }
  const pageRows = (): number =>
    Math.max(1, Math.floor(frame.value.height / cellSize(view.value.zoom, frame.value).high) - 1)

  function key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return
    const far = event.shiftKey ? 10 : 1
    const ends = event.ctrlKey
    const acts: Record<string, () => void> = {
      ArrowUp: () => moveTo(row.value - far, column.value),
      ArrowDown: () => moveTo(row.value + far, column.value),
      ArrowLeft: () => moveTo(row.value, column.value - far),
      ArrowRight: () => moveTo(row.value, column.value + far),
      PageUp: () => moveTo(row.value - pageRows(), column.value),
      PageDown: () => moveTo(row.value + pageRows(), column.value),
      Home: () => moveTo(ends ? 0 : row.value, 0),
      End: () => moveTo(ends ? frame.value.rows - 1 : row.value, frame.value.columns - 1),
      '+': () => zoomBy(Math.SQRT2),
      '=': () => zoomBy(Math.SQRT2),
      '-': () => zoomBy(Math.SQRT1_2),
      '0': fit,
    }
    const act = acts[event.key]
    if (!act || (ends && event.key !== 'Home' && event.key !== 'End')) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return { key, zoomBy, fit }
}
