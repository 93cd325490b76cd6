/**
 * The zoom shared by all pictures. Every picture is fitted into a square; places are fractions of that square, so one
 * zoom serves pictures of any size. Pure.
 */

export interface Zoom {
  scale: number
  /** The place of the square in the middle of the frame. */
  x: number
  y: number
}

export interface Place {
  u: number
  v: number
}

export const WHOLE: Zoom = { scale: 1, x: 0.5, y: 0.5 }
export const MOST_ZOOM = 64

const between = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

function kept(zoom: Zoom): Zoom {
  const scale = between(zoom.scale, 1, MOST_ZOOM)
  const edge = 0.5 / scale
  return { scale, x: between(zoom.x, edge, 1 - edge), y: between(zoom.y, edge, 1 - edge) }
}

/** The place of the square at a place of the frame. */
export function placeIn(zoom: Zoom, frame: Place): Place {
  return { u: zoom.x + (frame.u - 0.5) / zoom.scale, v: zoom.y + (frame.v - 0.5) / zoom.scale }
}

/** Zooms around a place of the frame, which keeps its content. */
export function zoomAt(zoom: Zoom, factor: number, frame: Place = { u: 0.5, v: 0.5 }): Zoom {
  const fixed = placeIn(zoom, frame)
  const scale = between(zoom.scale * factor, 1, MOST_ZOOM)
  return kept({ scale, x: fixed.u - (frame.u - 0.5) / scale, y: fixed.v - (frame.v - 0.5) / scale })
}

/** Moves by fractions of the frame. */
export function panBy(zoom: Zoom, right: number, down: number): Zoom {
  return kept({ ...zoom, x: zoom.x + right / zoom.scale, y: zoom.y + down / zoom.scale })
}

/** The zoom as a CSS transform with the origin at the upper left. */
export function transformOf({ scale, x, y }: Zoom): string {
  return `translate(${(0.5 - x * scale) * 100}%, ${(0.5 - y * scale) * 100}%) scale(${scale})`
}

/** The pixel of a picture at a place of the square, null outside the picture. */
export function pixelAt({ u, v }: Place, width: number, height: number): { x: number; y: number } | null {
  const side = Math.max(width, height)
  const x = Math.floor(u * side - (side - width) / 2)
  const y = Math.floor(v * side - (side - height) / 2)
  return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : null
}
