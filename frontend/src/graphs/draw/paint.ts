/**
 * Paints a drawing from the outside in: lines of a container, its boxes, then the inside of opened boxes. Called by the
 * canvas and for exports.
 */
import type { DrawnBox, DrawnEdge, DrawnPort, Drawing } from '../scene/drawing'
import { drawClosed, drawContainer, drawFrame } from './boxes'
import { drawHoverLabel, drawLines, drawPorts, drawStanding } from './lines'
import { isSeen, type Look, type Pen } from './look'

interface Depth {
  boxes: DrawnBox[]
  edges: DrawnEdge[]
  ports: DrawnPort[]
}

const depths = new WeakMap<Drawing, Depth[]>()

/** Boxes and edges by depth, made once for a drawing. */
function depthsOf(drawing: Drawing): Depth[] {
  let found = depths.get(drawing)
  if (found) return found
  found = []
  const at = (depth: number, all: Depth[]): Depth => (all[depth] ??= { boxes: [], edges: [], ports: [] })
  for (const box of drawing.boxes) at(box.depth, found).boxes.push(box)
  for (const edge of drawing.edges) at(edge.depth, found).edges.push(edge)
  for (const port of drawing.ports) at(port.depth, found).ports.push(port)
  depths.set(drawing, found)
  return found
}

/** Paints everything except the hovered and selected parts, on a canvas with the world's transform. */
export function paint(pen: Pen, drawing: Drawing, look: Look): void {
  for (const { boxes, edges, ports } of depthsOf(drawing)) {
    drawLines(pen, edges, look)
    drawPorts(pen, ports, look)
    const seen = boxes.filter((box) => isSeen(box, look.window))
    drawClosed(
      pen,
      seen.filter(({ open }) => !open),
      look,
    )
    for (const box of seen) if (box.open) drawContainer(pen, box, look)
  }
}

/** Whether the overlay shows anything. */
export const hasOver = ({ hover, selection, hoverEdge }: Look): boolean =>
  hover !== null || selection !== null || hoverEdge >= 0

/**
 * Paints the overlay, which changes with pointer and keys: frames, the lines of the selected box, a label.
 */
export function paintOver(pen: Pen, drawing: Drawing, look: Look): void {
  drawStanding(pen, drawing.edges, look)
  const hovered = look.hover === null || look.hover === look.selection ? undefined : drawing.byPath.get(look.hover)
  if (hovered) drawFrame(pen, hovered, look, false)
  const selected = look.selection === null ? undefined : drawing.byPath.get(look.selection)
  if (selected) drawFrame(pen, selected, look, true)
  if (look.hoverEdge >= 0 && drawing.edges[look.hoverEdge]) drawHoverLabel(pen, drawing.edges[look.hoverEdge], look)
}
