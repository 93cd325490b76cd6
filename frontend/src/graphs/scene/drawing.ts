/**
 * What is drawn: a flat list of boxes and lines with places in the world. Made by compose.ts, read by drawing, hit test
 * and keys.
 */
import type { EdgeKind, InsideBox, InsideEdge } from '../inside'

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** A box on the canvas. The rectangle is that of its body; sheets and stubs stand outside of it. */
export interface DrawnBox extends Rect {
  path: string
  box: InsideBox
  /** Path of the container's inside, "" at the top. */
  container: string
  depth: number
  /**
   * Which instance is shown of an opened stack, "all" of an unrolled one; null for a closed box and for other
   * containers.
   */
  instance: number | 'all' | null
  open: boolean
  /** Instance shown by this box of an unrolled stack. */
  of: number | null
  differs: boolean
}

export interface DrawnEdge {
  /** Paths of the boxes; of a port, that of its container's inside. */
  source: string
  target: string
  container: string
  depth: number
  kind: EdgeKind
  /** In a comparison of two graphs. */
  status: InsideEdge['status']
  width: number
  label: string
  /** The label's beginning, or null where there is no room without being asked. */
  labelAt: { x: number; y: number } | null
  /** Whether its end has an arrow: not where it leaves its container. */
  arrow: boolean
  points: Float32Array
  from: number
  to: number
  /** How far it has come out of the ground, from 0 to 1; 1 if absent. */
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

/** Where a header of an opened container ends, or a box's own middle: what a person looks at when it opens. */
export function holds(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height
}

/**
 * How far the view must move so that what a person looked at stays: the middle of the header, or, where the pointer
 * would no longer be over the box, the box's nearest side.
 * @param pointer place of the pointer in the world before the change
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
