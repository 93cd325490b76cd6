/**
 * The input and output of a layout: plain typed arrays, so that they are passed to the worker without being
 * copied.
 */

/** Boxes by index and the edges between them. Lengths are in CSS pixels at zoom 1. */
export interface LayoutInput {
  /** Sizes of the boxes, including sheets and stubs. */
  width: Float32Array
  height: Float32Array
  /** Horizontal positions of incoming edges (top) and outgoing edges (bottom), from the middle of the box. */
  inAt: Float32Array
  outAt: Float32Array
  /** The range to either side in which edges may end. */
  spread: Float32Array
  source: Int32Array
  target: Int32Array
  /** The box above all others for the inputs, or -1. */
  first: number
  /** The box below all others for the outputs, or -1. */
  last: number
}

export interface LayoutOutput {
  width: number
  height: number
  /** Left and top of the boxes. */
  x: Float32Array
  y: Float32Array
  /** Points of edge e: `points[2 * pointStart[e]]` to `points[2 * pointStart[e + 1]]`, from source to target. */
  pointStart: Uint32Array
  points: Float32Array
  /** 1 for edges that go up because they close a cycle. */
  feedback: Uint8Array
}

/** Distances in CSS pixels. */
export const GAP = { boxes: 22, lines: 12, ranks: 26, parts: 32 } as const

/** With more boxes and places of long edges than this, fewer sweeps are made. */
export const LARGE = 1500
/** Long edges beyond this number of places go straight instead of around boxes. */
export const MOST_PLACES = 60_000
