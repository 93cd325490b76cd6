/** Draws a grid on its canvas after every change, at the resolution of the screen. */
import { onBeforeUnmount, onMounted, watch, type Ref, type ShallowRef } from 'vue'

import { useRedraw } from '../../charts/drawing/redraw'
import { currentInk, onThemeChange } from '../../charts/drawing/theme'
import type { TensorModel } from '../useTensor'
import { paintPlane, type Pen } from './paint'
import { GUTTER_TOP, paintCursor, paintGutters, type Surroundings } from './paintGutters'
import type { GridLook } from './useGridLook'
import type { GridTiles } from './useGridTiles'
import type { GridView } from './useGridView'

/** Opacity of the last plane's tiles while the new ones are loading. */
const FAINT = 0.4

interface GridParts {
  model: TensorModel
  look: GridLook
  place: GridView
  tiles: GridTiles
}

function surroundingsOf({ model, look, place }: GridParts): Surroundings {
  const plane = model.plane.value
  const rowAxis = plane.axes.find(({ role }) => role === 'rows')
  const columnAxis = plane.axes.find(({ role }) => role === 'columns')
  const indexOf = (axis: number | undefined, row: number, column: number): string =>
    axis === undefined ? '' : String(plane.indexOf(row, column)[axis])
  return {
    ink: look.ink.value,
    view: place.view.value,
    frame: place.frame.value,
    gutter: place.gutter.value,
    row: place.row.value,
    column: place.column.value,
    power: look.power.value,
    rowText: (row) => indexOf(rowAxis?.axis, row, 0),
    columnText: (column) => indexOf(columnAxis?.axis, 0, column),
    columnCount: columnAxis?.size ?? 0,
  }
}

function paintCells(pen: Pen, { look, place, tiles }: GridParts): void {
  const [view, frame] = [place.view.value, place.frame.value]
  const store = tiles.store.value
  if (!store) return
  const old = tiles.outgoing()
  if (old) {
    pen.globalAlpha = FAINT
    paintPlane(pen, view, frame, (at) => old.get(at), look.look.value)
    pen.globalAlpha = 1
  }
  paintPlane(pen, view, frame, (at) => store.get(at), look.look.value)
}

function sharpPen(canvas: HTMLCanvasElement, width: number, height: number): Pen | null {
  const pen = canvas.getContext('2d')
  if (!pen) return null
  const scale = window.devicePixelRatio || 1
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0)
  return pen
}

export function useGridCanvas(
  host: ShallowRef<HTMLElement | null>,
  canvas: ShallowRef<HTMLCanvasElement | null>,
  size: Ref<{ width: number; height: number }>,
  parts: GridParts,
): void {
  const { look, place, tiles } = parts
  const redraw = useRedraw()

  function draw(): void {
    const { width, height } = size.value
    const pen = canvas.value && sharpPen(canvas.value, width, height)
    if (!pen) return
    const around = surroundingsOf(parts)
    pen.fillStyle = look.ink.value.colour('var(--panel)')
    pen.fillRect(0, 0, width, height)
    pen.save()
    pen.translate(around.gutter, GUTTER_TOP)
    pen.beginPath()
    pen.rect(0, 0, around.frame.width, around.frame.height)
    pen.clip()
    paintCells(pen, parts)
    paintCursor(pen, around)
    pen.restore()
    paintGutters(pen, width, height, around)
  }

  let ends: (() => void)[] = []
  onMounted(() => {
    const element = host.value
    if (!element) return
    const drawable = { host: element, draw }
    const request = (): void => redraw.request(drawable)
    const measure = (): void => {
      size.value = { width: element.clientWidth, height: element.clientHeight }
    }
    redraw.add(drawable)
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    measure()
    const themes = onThemeChange(() => (look.ink.value = currentInk()))
    const changes = watch(
      [place.view, place.frame, look.look, tiles.arrived, place.row, place.column, tiles.store, look.ink],
      request,
      { flush: 'post' },
    )
    ends = [() => sizes.disconnect(), themes, changes, () => redraw.remove(drawable)]
    request()
  })
  onBeforeUnmount(() => ends.forEach((end) => end()))
}
