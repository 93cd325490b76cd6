/**
 * Places every run as a point between two axes, in pixels. Points of one strip or lane are stacked side by side, in
 * order of rows. Pure.
 */
import { LANE, type Side } from './axis'

export interface Points {
  x: Float32Array
  y: Float32Array
}

/** Distance between the middles of neighbouring points. */
const STEP = 5

/** Places of the rows along one side. */
interface Places {
  pixels: Float32Array
  /** The strip or lane of each row, -1 if the place is exact; null if all are exact. */
  slots: Int32Array | null
  /** Width of a strip or lane that its points may fill. */
  roomOf: (slot: number) => number
}

function placesOf(side: Side, count: number): Places {
  const { places, laneOf, lanes, categories } = side.axis
  const pixels = new Float32Array(count)
  const slots = side.strip || lanes.length ? new Int32Array(count).fill(-1) : null
  for (let row = 0; row < count; row++) {
    const lane = laneOf[row]
    pixels[row] = lane ? side.lane(lane - 1) : side.pixel(places[row])
    if (slots && (lane || side.strip)) slots[row] = lane ? categories.length + lane : places[row]
  }
  return { pixels, slots, roomOf: (slot) => (slot > categories.length || !side.strip ? LANE - 6 : side.strip * 0.86) }
}

/** Exact places closer together than a point share a key, above the keys of all strips. */
const EXACT = 1e6
const slotOf = ({ slots }: Places, row: number): number => slots?.[row] ?? -1
const keyOf = ({ pixels, slots }: Places, row: number): number =>
  slots && slots[row] >= 0 ? slots[row] : EXACT + Math.round(pixels[row] / STEP)

/** The middle first, then alternately to both sides. */
const turn = (at: number): number => (at % 2 ? (at + 1) / 2 : -at / 2)

/**
 * @param count number of rows
 * @returns pixels of each row
 */
export function placePoints(across: Side, up: Side, count: number): Points {
  const [a, b] = [placesOf(across, count), placesOf(up, count)]
  const points = { x: a.pixels, y: b.pixels }
  if (!a.slots && !b.slots) return points
  const cells = new Map<number, number[]>()
  for (let row = 0; row < count; row++) {
    if (slotOf(a, row) < 0 && slotOf(b, row) < 0) continue
    const key = keyOf(a, row) * 4 * EXACT + keyOf(b, row)
    const cell = cells.get(key)
    if (cell) cell.push(row)
    else cells.set(key, [row])
  }
  for (const rows of cells.values()) {
    const [first, second] = [slotOf(a, rows[0]), slotOf(b, rows[0])]
    if (first < 0) stack(rows, points.y, b.roomOf(second))
    else if (second < 0) stack(rows, points.x, a.roomOf(first))
    else block(rows, points, a.roomOf(first), b.roomOf(second))
  }
  return points
}

/** Points side by side. */
function stack(rows: readonly number[], pixels: Float32Array, room: number): void {
  const step = Math.min(STEP, room / rows.length)
  rows.forEach((row, at) => (pixels[row] += turn(at) * step))
}

/** A block of points in rows. */
function block(rows: readonly number[], { x, y }: Points, wideRoom: number, highRoom: number): void {
  const wide = Math.max(
    1,
    Math.min(Math.floor(wideRoom / STEP) || 1, Math.ceil(Math.sqrt((rows.length * wideRoom) / highRoom))),
  )
  const high = Math.ceil(rows.length / wide)
  const [dx, dy] = [Math.min(STEP, wideRoom / wide), Math.min(STEP, highRoom / high)]
  rows.forEach((row, at) => {
    x[row] += turn(at % wide) * dx
    y[row] += turn(Math.floor(at / wide)) * dy
  })
}

/** The row whose point is nearest to a pixel, at most `reach` pixels away; null if there is none. */
export function nearest(
  points: Points,
  px: number,
  py: number,
  reach: number,
  counts: (row: number) => boolean,
): number | null {
  let best: number | null = null
  let least = reach * reach
  for (let row = 0; row < points.x.length; row++) {
    const [dx, dy] = [points.x[row] - px, points.y[row] - py]
    const distance = dx * dx + dy * dy
    if (distance <= least && counts(row)) {
      least = distance
      best = row
    }
  }
  return best
}
