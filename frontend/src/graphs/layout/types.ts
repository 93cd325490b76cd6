/**
 * What goes into a layout and what comes out: plain typed arrays, so that they cross to the worker without being
 * copied.
 */

/** Boxes by index and the edges between them. Lengths are in CSS pixels at zoom 1. */
export interface LayoutInput {
  /** Footprints of the boxes. */
  width: Float32Array
  height: Float32Array
  /** Where edges come in at the top and leave at the bottom, from the middle of the footprint. */
  inAt: Float32Array
  outAt: Float32Array
  /** How far edges may lie from those places to either side. */
  spread: Float32Array
  source: Int32Array
  target: Int32Array
  /** The box above all others that stands for what comes in, or -1. */
  first: number
  /** The box below all others that stands for what goes out, or -1. */
  last: number
}

export interface LayoutOutput {
  width: number
  height: number
  /** Left and top of the footprints. */
  x: Float32Array
  y: Float32Array
  /** Points of edge e: `points[2 * pointStart[e]]` to `points[2 * pointStart[e + 1]]`, from source to target. */
  pointStart: Uint32Array
  points: Float32Array
  /** 1 where an edge goes up, because it closes a cycle. */
  feedback: Uint8Array
}

/** Distances in CSS pixels. */
export const GAP = { boxes: 22, lines: 12, ranks: 26, parts: 32 } as const

/** Above so many boxes and places of long edges fewer sweeps are made. */
export const LARGE = 1500
/** Long edges beyond so many places go straight instead of round what lies between. */
export const MOST_PLACES = 60_000
