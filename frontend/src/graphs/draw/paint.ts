/** Draws a drawing from the outside in: lines of a container, its boxes, then what opened ones have inside. Called by the canvas and for exports. */
import type { DrawnBox, DrawnEdge, Drawing } from '../scene/drawing'
import { drawClosed, drawContainer, drawFrame } from './boxes'
import { drawHoverLabel, drawLines, drawPorts } from './lines'
import { isSeen, type Look, type Pen } from './look'

interface Depth {
  boxes: DrawnBox[]
  edges: DrawnEdge[]
  indices: number[]
}

const depths = new WeakMap<Drawing, Depth[]>()

/** Boxes and edges by depth, made once for a drawing. */
function depthsOf(drawing: Drawing): Depth[] {
  let found = depths.get(drawing)
  if (found) return found
  found = []
  const at = (depth: number, all: Depth[]): Depth => (all[depth] ??= { boxes: [], edges: [], indices: [] })
  for (const box of drawing.boxes) at(box.depth, found).boxes.push(box)
  drawing.edges.forEach((edge, index) => {
    const depth = at(edge.depth, found as Depth[])
    depth.edges.push(edge)
    depth.indices.push(index)
  })
  depths.set(drawing, found)
  return found
}

/** Draws on a canvas whose transform is that of the world. */
export function paint(pen: Pen, drawing: Drawing, look: Look): void {
  depthsOf(drawing).forEach(({ boxes, edges, indices }, depth) => {
    drawLines(pen, edges, indices, look)
    drawPorts(pen, drawing.ports.filter((port) => port.depth === depth), look)
    const seen = boxes.filter((box) => isSeen(box, look.window))
    drawClosed(pen, seen.filter(({ open }) => !open), look)
    for (const box of seen) if (box.open) drawContainer(pen, box, look)
  })
  const hovered = look.hover === null || look.hover === look.selection ? undefined : drawing.byPath.get(look.hover)
  if (hovered) drawFrame(pen, hovered, look, false)
  const selected = look.selection === null ? undefined : drawing.byPath.get(look.selection)
  if (selected) drawFrame(pen, selected, look, true)
  if (look.hoverEdge >= 0 && drawing.edges[look.hoverEdge]) drawHoverLabel(pen, drawing.edges[look.hoverEdge], look)
}
