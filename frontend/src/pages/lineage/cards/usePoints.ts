/** Draws the runs as points on a canvas: those outside of a brush small and grey, the others in the colour of the target over them. */
import type { ShallowRef } from 'vue'

import { usePlotCanvas } from '../../distributions/usePlotCanvas'
import type { Paint } from './board'
import type { Points } from './scatter'
import { discStamp, rgbOf, stampAt } from './stamps'

/** With more points each is smaller: what lies where must still be seen. */
const MANY = 2500

interface Look {
  /** Radius of points in CSS pixels. */
  own: number
  other: number
}

const LOOKS: Record<'plot' | 'cell', [few: Look, many: Look]> = {
  plot: [{ own: 3, other: 2 }, { own: 2.2, other: 1.5 }],
  cell: [{ own: 1.9, other: 1.4 }, { own: 1.3, other: 1 }],
}

/**
 * @param points where the rows are, in CSS pixels of the canvas
 * @param size of the points: of a plot or of a cell of many
 */
export function usePoints(canvas: ShallowRef<HTMLCanvasElement | null>, points: () => Points | null, paint: () => Paint, size: 'plot' | 'cell'): void {
  usePlotCanvas(canvas, () => [points(), paint()], (pen, ink, width) => {
    const at = points()
    const { width: across, height: down } = pen.canvas
    if (!at || !across || !down) return
    const { passing, others, shades, rgb } = paint()
    const ratio = across / width
    const look = LOOKS[size][passing.length + others.length > MANY ? 1 : 0]
    const sheet = pen.createImageData(across, down)
    const grey = rgbOf(ink.colour('var(--control)'))
    const small = discStamp(look.other * ratio)
    for (const row of others) stampAt(sheet, small, at.x[row] * ratio, at.y[row] * ratio, grey, 0.35)
    const large = discStamp(look.own * ratio)
    for (const row of passing) {
      const shade = 3 * shades[row]
      stampAt(sheet, large, at.x[row] * ratio, at.y[row] * ratio, [rgb[shade], rgb[shade + 1], rgb[shade + 2]], 0.92)
    }
    pen.putImageData(sheet, 0, 0)
  })
}
