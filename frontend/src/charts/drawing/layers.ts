/**
 * What else may be drawn on a chart, behind its curves: a band around a mean, a density. Given to LineChart by pages.
 */
import type { Range } from '../scales/range'
import type { Projection } from './strokes'

export interface PlotLayer {
  /** x from its first to its last point, null where it has none. */
  xExtent(): Range | null
  /** The values that it covers inside a range of x, null for none. */
  yExtent(x: Range): Range | null
  /**
   * Draws it; `projection` maps data to the pixels of the canvas.
   * @param ratio pixels of the canvas per CSS pixel
   */
  draw(context: CanvasRenderingContext2D, projection: Projection, ratio: number): void
}
