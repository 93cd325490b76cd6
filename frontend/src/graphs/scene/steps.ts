/**
 * The targets of arrow keys: first along a box's edges, then to the nearest box in that direction. Called by the
 * canvas.
 */
import type { DrawnBox, Drawing } from './drawing'

export type Direction = 'up' | 'down' | 'left' | 'right'

const middle = ({ x, y, width, height }: DrawnBox): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
})

/** The box that a step leads to, or null; without a start box, the first one. */
export function stepFrom(drawing: Drawing, path: string | null, direction: Direction): DrawnBox | null {
  const from = path === null ? undefined : drawing.byPath.get(path)
  if (!from) return drawing.boxes[0] ?? null
  return alongEdges(drawing, from, direction) ?? nearest(drawing, from, direction)
}

function alongEdges(drawing: Drawing, from: DrawnBox, direction: Direction): DrawnBox | null {
  if (direction === 'left' || direction === 'right') return null
  const ends = drawing.edges.flatMap(({ source, target }) => {
    if (direction === 'down' ? source !== from.path : target !== from.path) return []
    const end = drawing.byPath.get(direction === 'down' ? target : source)
    return end && end.container === from.container ? [end] : []
  })
  const ahead = ends.filter((end) => (direction === 'down' ? end.y > from.y : end.y < from.y))
  return best(ahead, (end) => Math.abs(middle(end).x - middle(from).x) + Math.abs(end.y - from.y) * 0.5)
}

function nearest(drawing: Drawing, from: DrawnBox, direction: Direction): DrawnBox | null {
  const sign = direction === 'down' || direction === 'right' ? 1 : -1
  const upright = direction === 'down' || direction === 'up'
  const at = middle(from)
  const candidates = drawing.boxes.filter(
    (box) =>
      box !== from &&
      box.container === from.container &&
      sign * (upright ? middle(box).y - at.y : middle(box).x - at.x) > 4,
  )
  return best(candidates, (box) => {
    const [across, along] = [middle(box).x - at.x, middle(box).y - at.y].map(Math.abs)
    return upright ? along + 2 * across : across + 3 * along
  })
}

function best(boxes: readonly DrawnBox[], cost: (box: DrawnBox) => number): DrawnBox | null {
  let [found, least]: [DrawnBox | null, number] = [null, Infinity]
  for (const box of boxes) {
    const value = cost(box)
    if (value >= least) continue
    least = value
    found = box
  }
  return found
}
