/**
 * The drawing: a flat list of boxes and lines with world positions. Made by compose.ts, read by painting, hit test and
 * keys.
 */
import type { EdgeKind, InsideBox, InsideEdge } from '../inside'

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** A box on the canvas. The rectangle is its body; sheets and stubs are outside. */
export interface DrawnBox extends Rect {
  path: string
  box: InsideBox
  /** Path of the container's inside; "" at the top. */
  container: string
  depth: number
  /**
   * The shown instance of an opened stack, "all" for an unrolled one; null for a closed box and for other
   * containers.
   */
  instance: number | 'all' | null
  open: boolean
  /** Instance shown by this box of an unrolled stack. */
  of: number | null
  differs: boolean
}

export interface DrawnEdge {
  /** Paths of the boxes; for a port, the path of its container's inside. */
  source: string
  target: string
  container: string
  depth: number
  kind: EdgeKind
  /** Status in a comparison of two graphs. */
  status: InsideEdge['status']
  width: number
  label: string
  /** The start of the label; null if there is no space for it without pointing. */
  labelAt: { x: number; y: number } | null
  /** Whether its end has an arrow; false if it leaves its container. */
  arrow: boolean
  points: Float32Array
  from: number
  to: number
  /** Fade-in, from 0 to 1; 1 if absent. */
  alpha?: number
  /** Added to the points. */
  dx: number
  dy: number
}

/** A port of an opened container from which lines fan out. */
export interface DrawnPort {
  x: number
  y: number
  depth: number
}

export interface Drawing {
  boxes: readonly DrawnBox[]
  edges: readonly DrawnEdge[]
  ports: readonly DrawnPort[]
  width: number
  height: number
  byPath: ReadonlyMap<string, DrawnBox>
  /** Paths of the insides that are shown; "" is the root. */
  insides: readonly string[]
}

export const NOTHING: Drawing = { boxes: [], edges: [], ports: [], width: 0, height: 0, byPath: new Map(), insides: [] }

/** The focus of attention when a box opens: the end of the header of an opened container, or the middle of a box. */
export function holds(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height
}

/**
 * How far the view must move so that the focus of attention stays: the middle of the header or, if the pointer would no
 * longer be over the box, the box's nearest side.
 * @param pointer world position of the pointer before the change
 */
export function anchorShift(before: Rect, after: Rect, pointer: number | null): { dx: number; dy: number } {
  const dy = after.y - before.y
  let dx = after.x + after.width / 2 - (before.x + before.width / 2)
  if (pointer === null) return { dx, dy }
  const margin = Math.min(16, after.width / 2)
  const [left, right] = [after.x - dx + margin, after.x - dx + after.width - margin]
  if (pointer < left) dx += left - pointer
  if (pointer > right) dx -= pointer - right
  return { dx, dy }
}
