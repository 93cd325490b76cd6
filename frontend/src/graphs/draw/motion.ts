/**
 * The animation from one drawing to another: boxes move and grow, new lines fade in. Called by the
 * canvas.
 */
import type { DrawnBox, Drawing, Rect } from '../scene/drawing'

/**
 * Duration of a change in ms, and the maximum number of moving boxes. Larger changes are not animated, and neither are
 * pictures that take longer than `frame`: two or three pictures do not look like a motion.
 */
export const MOTION = { time: 70, boxes: 600, frame: 34 } as const

const between = (from: number, to: number, share: number): number => from + (to - from) * share
const eased = (share: number): number => 1 - (1 - share) ** 3

/**
 * The drawing at one moment of the change.
 * @param shift how far the view moved with the change, so that old positions stay the same on the screen
 * @param share 0 at the beginning, 1 at the end
 */
export function poseBetween(
  before: Drawing,
  after: Drawing,
  shift: { dx: number; dy: number },
  share: number,
): Drawing {
  if (share >= 1) return after
  const t = eased(share)
  const posed = new Map<string, DrawnBox>()
  const boxes = after.boxes.map((box) => {
    const from = before.byPath.get(box.path) ?? startOf(box, before, posed)
    const pose = from ? { ...box, ...blend({ ...from, x: from.x + shift.dx, y: from.y + shift.dy }, box, t) } : box
    posed.set(box.path, pose)
    return pose
  })
  const origins = new Map(before.edges.map((edge) => [edge.container, edge]))
  const edges = after.edges.map((edge) => {
    const known = origins.get(edge.container)
    if (known?.points !== edge.points) return { ...edge, alpha: t * t }
    const [dx, dy] = [between(known.dx + shift.dx, edge.dx, t), between(known.dy + shift.dy, edge.dy, t)]
    const labelAt = edge.labelAt && { x: edge.labelAt.x + dx - edge.dx, y: edge.labelAt.y + dy - edge.dy }
    return { ...edge, dx, dy, labelAt }
  })
  return { ...after, boxes, edges, ports: t < 0.7 ? [] : after.ports, byPath: posed }
}

function blend(from: Rect, to: Rect, t: number): Rect {
  return {
    x: between(from.x, to.x, t),
    y: between(from.y, to.y, t),
    width: between(from.width, to.width, t),
    height: between(from.height, to.height, t),
  }
}

/** A new box comes out of the header of its container. */
function startOf(box: DrawnBox, before: Drawing, posed: ReadonlyMap<string, DrawnBox>): Rect | null {
  const owner = box.container.replace(/#\d+$/, '')
  const from = before.byPath.get(owner)
  if (!from || !posed.has(owner)) return null
  return {
    x: from.x + from.width / 2 - box.width / 4,
    y: from.y + from.height / 2,
    width: box.width / 2,
    height: box.height / 2,
  }
}
