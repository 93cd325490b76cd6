/**
 * Draws the runs as points on a canvas: runs outside a brush small and grey, the others above them in the colour of the
 * target.
 */
import type { ShallowRef } from 'vue'

import { usePlotCanvas } from '../../../../charts/drawing/usePlotCanvas'
import type { Paint } from '../board'
import type { Points } from './scatter'
import { discStamp, rgbOf, stampRows } from './stamps'

/** With more points each is smaller, so that dense areas stay readable. */
const MANY = 2500

interface Look {
  /** Radius of points in CSS pixels. */
  own: number
  other: number
}

const LOOKS: Record<'plot' | 'cell', [few: Look, many: Look]> = {
  plot: [
    { own: 3, other: 2 },
    { own: 2.2, other: 1.5 },
  ],
  cell: [
    { own: 1.9, other: 1.4 },
    { own: 1.3, other: 1 },
  ],
}

/**
 * @param points places of the rows, in CSS pixels of the canvas
 * @param size of the points: for a single plot, or for a cell of the matrix
 */
export function usePoints(
  canvas: ShallowRef<HTMLCanvasElement | null>,
  points: () => Points | null,
  paint: () => Paint,
  size: 'plot' | 'cell',
): void {
  usePlotCanvas(
    canvas,
    () => [points(), paint()],
    (pen, ink, width) => {
      const at = points()
      const { width: across, height: down } = pen.canvas
      if (!at || !across || !down) return
      const { passing, others, shades, rgb } = paint()
      const ratio = across / width
      const look = LOOKS[size][passing.length + others.length > MANY ? 1 : 0]
      const sheet = pen.createImageData(across, down)
      const grey = Uint8Array.from(rgbOf(ink.colour('var(--control)')))
      stampRows(sheet, discStamp(look.other * ratio), others, at, ratio, { rgb: grey, shades: null, alpha: 0.35 })
      stampRows(sheet, discStamp(look.own * ratio), passing, at, ratio, { rgb, shades, alpha: 1 })
      pen.putImageData(sheet, 0, 0)
    },
  )
}
