/**
 * Further layers of a chart behind its curves: a band around a mean, a density. Pages pass them to LineChart.
 */
import type { Range } from '../scales/range'
import type { Scale } from '../scales/scale'
import type { Projection } from './strokes'

export interface PlotLayer {
  /** x of the first and last point; null if it has none. */
  xExtent(): Range | null
  /** The values with a place on a scale that it covers inside a range of x; null if none. */
  yExtent(x: Range, scale: Scale): Range | null
  /**
   * Draws the layer. `projection` maps data to the pixels of the canvas.
   * @param ratio pixels of the canvas per CSS pixel
   */
  draw(context: CanvasRenderingContext2D, projection: Projection, ratio: number): void
}
