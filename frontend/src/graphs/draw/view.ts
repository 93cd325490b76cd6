/** The view of the canvas: the world position at its top left corner, and the zoom. */
import type { Rect } from '../scene/drawing'

export interface View {
  x: number
  y: number
  zoom: number
}

export interface Size {
  width: number
  height: number
}

export const ZOOM = { least: 0.02, most: 4 } as const
/** Margins when everything is shown; at the top for the page's controls over the canvas. */
const INSET = { side: 32, top: 56, bottom: 24 } as const
/** The page's parts over the lower corners: the legend, and the map. */
const CORNER = { left: { width: 172, height: 196 }, right: { width: 146, height: 142 } } as const
/** Below this zoom names are hard to read, so a part is shown instead of everything. */
export const READABLE = 0.6

const within = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** The view with a rectangle in the middle of the free space, at most at zoom `most`. */
export function fitView(rect: Rect, size: Size, most = 1.15, more = { left: 0, right: 0, bottom: 0 }): View {
  const left = INSET.side + more.left
  const wide = Math.max(40, size.width - left - INSET.side - more.right)
  const high = Math.max(40, size.height - INSET.top - INSET.bottom - more.bottom)
  const zoom = within(Math.min(wide / Math.max(1, rect.width), high / Math.max(1, rect.height)), ZOOM.least, most)
  return {
    zoom,
    x: rect.x + rect.width / 2 - (left + wide / 2) / zoom,
    y: rect.y + rect.height / 2 - (INSET.top + high / 2) / zoom,
  }
}

/** Whether a box is below the parts in the corners. */
function isCovered(boxes: readonly Rect[], view: View, size: Size): boolean {
  const top = {
    left: view.y + (size.height - CORNER.left.height) / view.zoom,
    right: view.y + (size.height - CORNER.right.height) / view.zoom,
  }
  const [left, right] = [view.x + CORNER.left.width / view.zoom, view.x + (size.width - CORNER.right.width) / view.zoom]
  return boxes.some((box) => {
    const bottom = box.y + box.height
    return (bottom > top.left && box.x < left) || (bottom > top.right && box.x + box.width > right)
  })
}

/**
 * The view that shows everything with no box below the parts in the corners: a drawing that reaches into them is moved
 * sideways or up, whichever leaves it larger.
 */
export function fitAll(whole: Rect, boxes: readonly Rect[], size: Size): View {
  const plain = fitView(whole, size)
  const [left, right] = [CORNER.left.width + 4 - INSET.side, CORNER.right.width + 4 - INSET.side]
  const views = [
    { left, right: 0, bottom: 0 },
    { left: 0, right, bottom: 0 },
    { left, right, bottom: 0 },
    { left: 0, right: 0, bottom: CORNER.left.height },
  ].map((more) => fitView(whole, size, undefined, more))
  const free = [plain, ...views].filter((view) => !isCovered(boxes, view, size))
  return free.length ? free.reduce((best, view) => (view.zoom > best.zoom + 1e-9 ? view : best)) : plain
}

/** The view with a box at the top of the window, at a readable size. */
export function beginningView(rect: Rect, size: Size): View {
  const zoom = 0.8
  return { zoom, x: rect.x + rect.width / 2 - size.width / 2 / zoom, y: rect.y - INSET.side / zoom }
}

/** Zooms with a fixed screen position. */
export function zoomAt(view: View, factor: number, x: number, y: number): View {
  const zoom = within(view.zoom * factor, ZOOM.least, ZOOM.most)
  return { zoom, x: view.x + x / view.zoom - x / zoom, y: view.y + y / view.zoom - y / zoom }
}

export function panBy(view: View, right: number, down: number): View {
  return { ...view, x: view.x + right / view.zoom, y: view.y + down / view.zoom }
}

/** The visible part of the world. */
export function windowOf(view: View, size: Size): Rect {
  return { x: view.x, y: view.y, width: size.width / view.zoom, height: size.height / view.zoom }
}

/** The view moved only as far as needed to show a rectangle; zoomed in if its text would be unreadable. */
export function revealView(view: View, rect: Rect, size: Size): View {
  const zoom = view.zoom < 0.6 ? Math.max(view.zoom, Math.min(1, fitView(rect, size, 1).zoom)) : view.zoom
  if (zoom !== view.zoom) return fitView(rect, size, zoom)
  const seen = windowOf(view, size)
  const margin = { x: INSET.side / zoom, top: INSET.top / zoom, bottom: INSET.bottom / zoom }
  const move = (from: number, length: number, first: number, room: number, before: number, after: number): number => {
    if (length > room - before - after || from < first + before) return from - before
    return from + length > first + room - after ? from + length + after - room : first
  }
  return {
    zoom,
    x: move(rect.x, rect.width, seen.x, seen.width, margin.x, margin.x),
    y: move(rect.y, rect.height, seen.y, seen.height, margin.top, margin.bottom),
  }
}
