/** The layer above the curves: cursor lines, dots and the selection, cheap to redraw with every pointer movement. */
import type { Selection } from '../reading/pointer'
import type { Reading } from '../reading/readout'
import { drawable, project, projectX, type Projection } from './strokes'
import { currentInk, type Ink } from './theme'

export interface Dot {
  px: number
  py: number
  colour: string
}

export interface OverlayPicture {
  /** Pixel of the step cursor, null for none in view. */
  cursor: number | null
  /** Pixel under the pointer. */
  hover: number | null
  dots: readonly Dot[]
  /** The current selection in pixels. */
  selection: Selection | null
}

export class Overlay {
  readonly canvas = document.createElement('canvas')
  private width = 0
  private height = 0
  private ratio = 0
  private blank = true

  constructor(parent: HTMLElement) {
    this.canvas.className = 'plot-overlay'
    this.canvas.setAttribute('aria-hidden', 'true')
    parent.append(this.canvas)
  }

  resize(width: number, height: number, ratio: number): void {
    if (width === this.width && height === this.height && ratio === this.ratio) return
    this.width = width
    this.height = height
    this.ratio = ratio
    this.blank = true
    this.canvas.width = Math.round(width * ratio)
    this.canvas.height = Math.round(height * ratio)
    this.canvas.style.width = `${width}px`
    this.canvas.style.height = `${height}px`
  }

  draw(picture: OverlayPicture, ink: Ink): void {
    const empty = !picture.selection && picture.cursor === null && picture.hover === null && !picture.dots.length
    // Most overlays are empty most of the time, and an untouched canvas costs nothing.
    if (empty && this.blank) return
    const context = this.canvas.getContext('2d')
    if (!context) return
    this.blank = empty
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
    context.clearRect(0, 0, this.width, this.height)
    if (picture.selection) this.select(context, picture.selection, ink)
    if (picture.cursor !== null) this.line(context, picture.cursor, ink, 0.55)
    if (picture.hover !== null) this.line(context, picture.hover, ink, picture.cursor === null ? 0.55 : 0.3)
    for (const dot of picture.dots) drawDot(context, dot, ink)
  }

  private line(context: CanvasRenderingContext2D, px: number, ink: Ink, alpha: number): void {
    context.globalAlpha = alpha
    context.fillStyle = ink.colour('var(--cursor)')
    context.fillRect(Math.round(px) - 0.5, 0, 1, this.height)
    context.globalAlpha = 1
  }

  private select(context: CanvasRenderingContext2D, selection: Selection, ink: Ink): void {
    const [left, right] = selection.x ?? [0, this.width]
    const [top, bottom] = selection.y ?? [0, this.height]
    context.fillStyle = context.strokeStyle = ink.colour('var(--accent)')
    context.globalAlpha = 0.12
    context.fillRect(left, top, right - left, bottom - top)
    context.globalAlpha = 0.8
    context.lineWidth = 1
    context.strokeRect(left + 0.5, top - 0.5, right - left - 1, bottom - top + 1)
    context.globalAlpha = 1
  }
}

function drawDot(context: CanvasRenderingContext2D, { px, py, colour }: Dot, ink: Ink): void {
  context.beginPath()
  context.arc(px, py, 3.5, 0, 2 * Math.PI)
  context.fillStyle = colour
  context.strokeStyle = ink.colour('var(--panel)')
  context.lineWidth = 1.5
  context.fill()
  context.stroke()
}

/** The dot on a curve at the value that is read; none if it has no place on the plot. */
export function dotsAt(
  { row, x, smooth, spec }: Reading,
  projection: Projection,
  width: number,
  height: number,
): Dot[] {
  if (row < 0 || !drawable(smooth, projection.y)) return []
  const px = projectX(projection, x)
  const py = project(projection, smooth)
  if (!(px >= 0) || px > width || py < -3 || py > height + 3) return []
  return [{ px, py, colour: currentInk().colour(spec.colour) }]
}
