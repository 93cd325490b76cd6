/**
 * Positions of a plane's cells on the screen: zoom, visible part, level of detail. Pure; used by the grid. A cell is
 * `zoom` pixels high; with room for its text it is wider than high.
 */
import { TILE } from '../tiles'

export const TEXT_ZOOM = 24
export const MOST_ZOOM = 48
/** Least size of a block of the heat map, in pixels. */
const LEAST_BLOCK = 2
/** From this zoom on cells grow wider than high, until their text fits. */
const WIDENS_FROM = 12

export interface View {
  /** Height of a cell in pixels. */
  zoom: number
  /** The position in the plane, in cells, of the upper left corner. */
  row: number
  column: number
}

export interface Frame {
  rows: number
  columns: number
  width: number
  height: number
  /** Pixels that a cell needs for its text. */
  textWidth: number
}

export interface Window {
  firstRow: number
  endRow: number
  firstColumn: number
  endColumn: number
}

/** The width of a cell. */
export function cellWidth(zoom: number, textWidth: number): number {
  if (zoom >= TEXT_ZOOM) return textWidth * (zoom / TEXT_ZOOM)
  if (zoom <= WIDENS_FROM) return zoom
  const far = (zoom - WIDENS_FROM) / (TEXT_ZOOM - WIDENS_FROM)
  return zoom + (textWidth - TEXT_ZOOM) * far ** 2
}

/** Up to this many rows or columns keep this size at small zooms, so that a vector does not become a thin line. */
const FEW = 8

/** Height and width of a cell in pixels. */
export function cellSize(zoom: number, { rows, columns, textWidth }: Frame): { high: number; wide: number } {
  const wide = cellWidth(zoom, textWidth)
  return {
    high: rows <= FEW ? Math.max(zoom, TEXT_ZOOM) : zoom,
    wide: columns <= FEW ? Math.max(wide, TEXT_ZOOM) : wide,
  }
}

/** The zoom at which the whole plane is in view. */
export function fitZoom({ rows, columns, width, height }: Frame): number {
  const down = rows <= FEW && columns > FEW ? Infinity : height / Math.max(1, rows)
  const across = columns <= FEW && rows > FEW ? Infinity : width / Math.max(1, columns)
  return Math.min(MOST_ZOOM / 2, down, across)
}

export const leastZoom = (frame: Frame): number => Math.min(fitZoom(frame), TEXT_ZOOM)

/** The view moved and zoomed to stay within the plane. */
export function kept(view: View, frame: Frame): View {
  const zoom = Math.max(leastZoom(frame), Math.min(MOST_ZOOM, view.zoom))
  const { high, wide } = cellSize(zoom, frame)
  const [rowsSeen, columnsSeen] = [frame.height / high, frame.width / wide]
  return {
    zoom,
    row: Math.max(0, Math.min(view.row, frame.rows - rowsSeen)),
    column: Math.max(0, Math.min(view.column, frame.columns - columnsSeen)),
  }
}

/** Zooms around a position on the screen. */
export function zoomAt(view: View, frame: Frame, factor: number, x: number, y: number): View {
  const zoom = Math.max(leastZoom(frame), Math.min(MOST_ZOOM, view.zoom * factor))
  const [before, after] = [cellSize(view.zoom, frame), cellSize(zoom, frame)]
  const row = view.row + y / before.high
  const column = view.column + x / before.wide
  return kept({ zoom, row: row - y / after.high, column: column - x / after.wide }, frame)
}

export function panBy(view: View, frame: Frame, right: number, down: number): View {
  const { high, wide } = cellSize(view.zoom, frame)
  return kept({ ...view, row: view.row + down / high, column: view.column + right / wide }, frame)
}

/** Cells with texts are not cut off at the left and at the top. */
export function snapped(view: View, frame: Frame): View {
  if (view.zoom < TEXT_ZOOM) return view
  const end = kept(view, frame)
  return {
    zoom: end.zoom,
    row: Math.ceil(Math.min(end.row, Math.round(view.row) || 0)),
    column: Math.ceil(Math.min(end.column, Math.round(view.column) || 0)),
  }
}

/** The view moved just far enough to contain a cell. */
export function revealed(view: View, frame: Frame, row: number, column: number): View {
  const { high, wide } = cellSize(view.zoom, frame)
  const [rowsSeen, columnsSeen] = [frame.height / high, frame.width / wide]
  const move = (first: number, seen: number, at: number): number => {
    if (at < first) return at
    return at + 1 > first + seen ? at + 1 - Math.max(1, seen) : first
  }
  const moved = { zoom: view.zoom, row: move(view.row, rowsSeen, row), column: move(view.column, columnsSeen, column) }
  if (view.zoom < TEXT_ZOOM) return kept(moved, frame)
  return {
    zoom: view.zoom,
    row: moved.row === view.row ? view.row : Math.ceil(moved.row),
    column: moved.column === view.column ? view.column : Math.ceil(moved.column),
  }
}

/** The view centred on a cell. */
export function centred(zoom: number, frame: Frame, row: number, column: number): View {
  const { high, wide } = cellSize(zoom, frame)
  const [rowsSeen, columnsSeen] = [frame.height / high, frame.width / wide]
  return snapped(kept({ zoom, row: row + 0.5 - rowsSeen / 2, column: column + 0.5 - columnsSeen / 2 }, frame), frame)
}

/** The visible cells, including those at the edges. */
export function windowOf(view: View, frame: Frame): Window {
  const { high, wide } = cellSize(view.zoom, frame)
  return {
    firstRow: Math.max(0, Math.floor(view.row)),
    endRow: Math.min(frame.rows, Math.ceil(view.row + frame.height / high)),
    firstColumn: Math.max(0, Math.floor(view.column)),
    endColumn: Math.min(frame.columns, Math.ceil(view.column + frame.width / wide)),
  }
}

/** The finest level whose blocks are large enough to be seen. */
export function levelOf(zoom: number): number {
  let level = 0
  while (zoom * 2 ** level < LEAST_BLOCK && level < 30) level++
  return level
}

/** The lowest level at which one tile covers the plane. */
export function topLevel(rows: number, columns: number): number {
  let level = 0
  while (Math.ceil(Math.max(rows, columns, 1) / 2 ** level) > TILE) level++
  return level
}

export interface TileAt {
  level: number
  row: number
  column: number
}

/** The tiles of a level that cover a window, from its middle outwards. */
export function tilesOf(window: Window, level: number): TileAt[] {
  const size = TILE * 2 ** level
  const found: TileAt[] = []
  for (let row = Math.floor(window.firstRow / size); row * size < window.endRow; row++) {
    for (let column = Math.floor(window.firstColumn / size); column * size < window.endColumn; column++)
      found.push({ level, row, column })
  }
  const middle = {
    row: (window.firstRow + window.endRow) / 2 / size - 0.5,
    column: (window.firstColumn + window.endColumn) / 2 / size - 0.5,
  }
  const far = (tile: TileAt): number => Math.hypot(tile.row - middle.row, tile.column - middle.column)
  return found.sort((a, b) => far(a) - far(b))
}

/** The cell at a position on the screen, null outside the plane. */
export function cellAt(view: View, frame: Frame, x: number, y: number): { row: number; column: number } | null {
  const { high, wide } = cellSize(view.zoom, frame)
  const row = Math.floor(view.row + y / high)
  const column = Math.floor(view.column + x / wide)
  return row >= 0 && column >= 0 && row < frame.rows && column < frame.columns ? { row, column } : null
}
