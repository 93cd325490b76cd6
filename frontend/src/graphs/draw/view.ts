/** Where the canvas looks: the place of the world at its left top corner, and the zoom. */
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
/** Room at the edges when everything is to be seen; above and below lies what the page puts over the canvas. */
const INSET = { side: 32, top: 56, bottom: 24 } as const

const within = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** The view that shows a rectangle in its middle, no larger than `most`. */
export function fitView(rect: Rect, size: Size, most = 1.15): View {
  const [wide, high] = [Math.max(40, size.width - 2 * INSET.side), Math.max(40, size.height - INSET.top - INSET.bottom)]
  const zoom = within(Math.min(wide / Math.max(1, rect.width), high / Math.max(1, rect.height)), ZOOM.least, most)
  return {
    zoom,
    x: rect.x + rect.width / 2 - size.width / 2 / zoom,
    y: rect.y + rect.height / 2 - (INSET.top + high / 2) / zoom,
  }
}

/** Zooms so that what is at a place of the screen stays there. */
export function zoomAt(view: View, factor: number, x: number, y: number): View {
  const zoom = within(view.zoom * factor, ZOOM.least, ZOOM.most)
  return { zoom, x: view.x + x / view.zoom - x / zoom, y: view.y + y / view.zoom - y / zoom }
}

export function panBy(view: View, right: number, down: number): View {
  return { ...view, x: view.x + right / view.zoom, y: view.y + down / view.zoom }
}

/** What of the world is seen. */
export function windowOf(view: View, size: Size): Rect {
  return { x: view.x, y: view.y, width: size.width / view.zoom, height: size.height / view.zoom }
}

/** The view moved no further than needed to show a rectangle; zoomed in where its text could not be read. */
export function revealView(view: View, rect: Rect, size: Size): View {
  const zoom = view.zoom < 0.6 ? Math.max(view.zoom, Math.min(1, fitView(rect, size, 1).zoom)) : view.zoom
  if (zoom !== view.zoom) return fitView(rect, size, zoom)
  const seen = windowOf(view, size)
  const margin = { x: INSET.side / zoom, top: INSET.top / zoom, bottom: INSET.bottom / zoom }
  const move = (from: number, length: number, first: number, room: number, before: number, after: number): number => {
    if (length > room - before - after || from < first + before) return from - before
    return from + length > first + room - after ? from + length + after - room : first
  }
  return { zoom, x: move(rect.x, rect.width, seen.x, seen.width, margin.x, margin.x), y: move(rect.y, rect.height, seen.y, seen.height, margin.top, margin.bottom) }
}
