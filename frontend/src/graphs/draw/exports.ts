/** Exports the drawing as pixels, as lines and texts, or as data. Called by GraphCanvas.vue. */
import { SvgContext } from '../../charts/drawing/svgContext'
import type { Drawing } from '../scene/drawing'
import type { Look, Pen } from './look'
import type { LookWithout } from './stage'
import { paint } from './paint'

/** Margin of an export in CSS pixels. */
export const MARGIN = 24
/** Browsers reject larger canvases. */
const MOST_PIXELS = 12_000

function lookOf(drawing: Drawing, look: LookWithout): Look {
  return {
    ...look,
    zoom: 1,
    window: { x: 0, y: 0, width: drawing.width, height: drawing.height },
    selection: null,
    hover: null,
    hoverEdge: -1,
    focus: false,
  }
}

/** The whole drawing at twice its size in pixels, or the largest possible size. */
export function pngOf(drawing: Drawing, look: LookWithout): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d')
  if (!pen) return Promise.reject(new Error('no canvas'))
  const ratio = Math.min(2, MOST_PIXELS / Math.max(drawing.width, drawing.height))
  canvas.width = Math.max(1, Math.ceil(drawing.width * ratio))
  canvas.height = Math.max(1, Math.ceil(drawing.height * ratio))
  pen.fillStyle = look.ink.colour('var(--panel)')
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.scale(ratio, ratio)
  paint(pen, drawing, lookOf(drawing, look))
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  )
}

export function svgOf(drawing: Drawing, look: LookWithout, title: string): string {
  const context = new SvgContext()
  context.fillStyle = look.ink.colour('var(--panel)')
  context.fillRect(0, 0, drawing.width, drawing.height)
  paint(context as unknown as Pen, drawing, lookOf(drawing, look))
  return context.text(Math.ceil(drawing.width), Math.ceil(drawing.height), title)
}

/** The shown boxes and edges with their positions. */
export function jsonOf(drawing: Drawing): string {
  const boxes = drawing.boxes.map(({ path, container, x, y, width, height, open, instance, box }) => ({
    path,
    container,
    name: box.name,
    kind: box.kind,
    op: box.op,
    node: box.node,
    count: box.count,
    operators: box.operators,
    parameters: box.parameters,
    type: box.type,
    phase: box.phase,
    open,
    instance,
    x,
    y,
    width,
    height,
  }))
  const edges = drawing.edges.map(({ source, target, container, kind, label, points, from, to, dx, dy }) => ({
    source,
    target,
    container,
    kind,
    type: label,
    points: Array.from({ length: to - from }, (_, at) => [
      points[2 * (from + at)] + dx,
      points[2 * (from + at) + 1] + dy,
    ]),
  }))
  return JSON.stringify({ width: drawing.width, height: drawing.height, boxes, edges }, null, 1)
}
