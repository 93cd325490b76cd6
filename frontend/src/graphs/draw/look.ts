/** How a drawing is to look: theme, zoom, what is selected. Passed through all of the painting. */
import type { Ink } from '../../charts/drawing/theme'
import { chainOf, containerOf } from '../paths'
import type { DrawnBox, Rect } from '../scene/drawing'
import type { BoxWords } from '../scene/measure'

export type Pen = CanvasRenderingContext2D

export interface Look {
  ink: Ink
  zoom: number
  /** What of the world is drawn. */
  window: Rect
  selection: string | null
  hover: string | null
  /** Index of the edge under the pointer, or -1. */
  hoverEdge: number
  /** Whether a ring shows that keys act here. */
  focus: boolean
  /** Boxes that stand out, with all that lies around them; null where none is asked for. */
  highlight: ReadonlySet<string> | null
  /** CSS colour of a box's edge, or null. */
  colourOf: (container: string, index: number) => string | null
  words: BoxWords
}

/** The colour of a box's edge, or null; an occurrence of an unrolled stack has the stack's. */
export function edgeColour({ box, container, of }: DrawnBox, { colourOf }: Pick<Look, 'colourOf'>): string | null {
  return of === null
    ? colourOf(container, box.index)
    : colourOf(containerOf(container) ?? '', Number(container.slice(container.lastIndexOf('.') + 1)))
}

/** Paths with all boxes around them: a closed box stands for what is inside of it. */
export function withContainers(paths: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (!paths) return null
  const all = new Set<string>()
  for (const path of paths) for (const one of chainOf(path)) all.add(one)
  return all
}

/** From which zoom on details are drawn; a text is never smaller than 6 px on the screen. */
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

/** Whether a box is shown faintly because others stand out. */
export const isFaint = (box: DrawnBox, { highlight }: Look): boolean => highlight !== null && !highlight.has(box.path)

/** A path of the canvas with round corners where they can be seen. */
export function traceRect(pen: Pen, rect: Rect, radius: number): void {
  if (radius > 0) pen.roundRect(rect.x, rect.y, rect.width, rect.height, radius)
  else pen.rect(rect.x, rect.y, rect.width, rect.height)
}
