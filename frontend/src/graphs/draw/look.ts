/** The appearance of a drawing: theme, zoom, selection. Passed through all painting functions. */
import type { Ink } from '../../charts/drawing/theme'
import { chainOf, containerOf } from '../paths'
import type { DrawnBox, Rect } from '../scene/drawing'
import type { BoxWords } from '../scene/measure'

export type Pen = CanvasRenderingContext2D

export interface Look {
  ink: Ink
  zoom: number
  /** The drawn part of the world. */
  window: Rect
  selection: string | null
  hover: string | null
  /** Index of the edge under the pointer, or -1. */
  hoverEdge: number
  /** Whether a ring shows the keyboard focus. */
  focus: boolean
  /** Highlighted boxes and all boxes around them; null for no highlight. */
  highlight: ReadonlySet<string> | null
  /** CSS colour of a box's edge, or null. */
  colourOf: (container: string, index: number) => string | null
  words: BoxWords
}

/** The colour of a box's edge, or null. An occurrence of an unrolled stack has the stack's colour. */
export function edgeColour({ box, container, of }: DrawnBox, { colourOf }: Pick<Look, 'colourOf'>): string | null {
  return of === null
    ? colourOf(container, box.index)
    : colourOf(containerOf(container) ?? '', Number(container.slice(container.lastIndexOf('.') + 1)))
}

/** Paths and all boxes around them: a closed box represents its content. */
export function withContainers(paths: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (!paths) return null
  const all = new Set<string>()
  for (const path of paths) for (const one of chainOf(path)) all.add(one)
  return all
}

/** Zoom levels from which details are drawn. A text is never smaller than 6 px on the screen. */
export const DETAIL = {
  names: 6 / 13,
  notes: 0.5,
  round: 0.4,
  colours: 0.22,
  arrows: 0.3,
  curves: 0.2,
  sheets: 0.15,
  edges: 0.05,
  labels: 11 / 12,
} as const

export function isSeen(rect: Rect, window: Rect, margin = 90): boolean {
  return (
    rect.x + rect.width + margin >= window.x &&
    rect.x - margin <= window.x + window.width &&
    rect.y + rect.height + margin >= window.y &&
    rect.y - margin <= window.y + window.height
  )
}

/** Whether a box is faint because others are highlighted. */
export const isFaint = (box: DrawnBox, { highlight }: Look): boolean => highlight !== null && !highlight.has(box.path)

/** A canvas path with round corners if they are visible. */
export function traceRect(pen: Pen, rect: Rect, radius: number): void {
  if (radius > 0) pen.roundRect(rect.x, rect.y, rect.width, rect.height, radius)
  else pen.rect(rect.x, rect.y, rect.width, rect.height)
}
