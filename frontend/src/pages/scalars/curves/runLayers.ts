/**
 * Layers of a chart that summarize several runs, drawn behind the curves: lines with bands for groups, and the density
 * of very many runs. Made by useRunLayers.ts, drawn by LineChart.
 */
import { currentInk } from '../../../charts/drawing/theme'
import type { PlotLayer } from '../../../charts/drawing/layers'
import type { Range } from '../../../charts/scales/range'
import type { Scale } from '../../../charts/scales/scale'
import { drawable, project, projectX, type Projection } from '../../../charts/drawing/strokes'
import type { Density, GroupBand } from '../../../data/series/groups'

/** A group with its colour. */
export interface PaintedBand extends GroupBand {
  name: string
  colour: string
}

const WIDEST = 2.2
const THINNEST = 0.8
/** Number of line widths, which show the share of members that have a value. */
const WIDTHS = 5
const BAND_ALPHA = 0.18
const EDGE_ALPHA = 0.45

/** Index of the last element of `x` that is not above `at`; -1 if all are. */
export function placeAt(x: Float64Array, at: number): number {
  let low = 0
  let high = x.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (x[middle] <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The row of a group nearest to a position, -1 if there is none nearby. */
export function rowNear({ x }: GroupBand, at: number): number {
  if (!x.length) return -1
  const row = placeAt(x, at)
  const next = row + 1 < x.length && (row < 0 || x[row + 1] - at < at - x[row]) ? row + 1 : row
  const gap = x.length > 1 ? (x[x.length - 1] - x[0]) / (x.length - 1) : Infinity
  return Math.abs(x[next] - at) <= 2 * gap ? next : -1
}

export class BandLayer implements PlotLayer {
  constructor(readonly bands: readonly PaintedBand[]) {}

  xExtent(): Range | null {
    const held = this.bands.filter(({ x }) => x.length)
    return held.length
      ? { min: Math.min(...held.map(({ low }) => low)), max: Math.max(...held.map(({ high }) => high)) }
      : null
  }

  yExtent({ min, max }: Range, scale: Scale): Range | null {
    let low = Infinity
    let high = -Infinity
    for (const { x, line, bandLow, bandHigh } of this.bands) {
      for (let row = 0; row < x.length; row++) {
        if (x[row] < min || x[row] > max) continue
        for (const value of [line[row], bandLow[row], bandHigh[row]]) {
          if (!drawable(value, scale)) continue
          if (value < low) low = value
          if (value > high) high = value
        }
      }
    }
    return low <= high ? { min: low, max: high } : null
  }

  draw(context: CanvasRenderingContext2D, projection: Projection, ratio: number): void {
    const ink = currentInk()
    context.save()
    context.lineJoin = 'round'
    const least = leastAbove(this.bands)
    for (const band of this.bands) {
      context.fillStyle = context.strokeStyle = ink.colour(band.colour)
      drawBand(context, band, projection, ratio, least)
    }
    for (const band of this.bands) {
      context.strokeStyle = ink.colour(band.colour)
      drawLine(context, band, projection, ratio)
    }
    context.restore()
  }
}

/** The lowest positive value of lines and bands. */
function leastAbove(bands: readonly PaintedBand[]): number {
  let least = Infinity
  for (const { line, bandLow } of bands)
    for (const column of [line, bandLow]) for (const value of column) if (value > 0 && value < least) least = value
  return least
}

/** Whether a band reaches down to zero, beside a line that does not: a logarithmic axis cannot show all of it. */
export function reachesZero(bands: readonly PaintedBand[]): boolean {
  return bands.some(({ line, bandLow }) => bandLow.some((low, row) => low <= 0 && line[row] > 0))
}

/** @param least where a band is cut that reaches below every value of a logarithmic axis */
function drawBand(
  context: CanvasRenderingContext2D,
  band: PaintedBand,
  projection: Projection,
  ratio: number,
  least: number,
): void {
  const { x, line, bandLow, bandHigh } = band
  for (let from = 0; from < x.length;) {
    if (!(bandLow[from] <= bandHigh[from]) || !drawable(line[from], projection.y)) {
      from++
      continue
    }
    let to = from
    while (to < x.length && bandLow[to] <= bandHigh[to] && drawable(line[to], projection.y)) to++
    const upper = new Path2D()
    const lower = new Path2D()
    const area = new Path2D()
    for (let row = from; row < to; row++) {
      const px = projectX(projection, x[row])
      const py = project(projection, bandHigh[row])
      if (row === from) upper.moveTo(px, py)
      else upper.lineTo(px, py)
    }
    area.addPath(upper)
    for (let row = to - 1; row >= from; row--) {
      const px = projectX(projection, x[row])
      const py = project(projection, drawable(bandLow[row], projection.y) ? bandLow[row] : least)
      area.lineTo(px, py)
      if (row === to - 1) lower.moveTo(px, py)
      else lower.lineTo(px, py)
    }
    area.closePath()
    context.globalAlpha = BAND_ALPHA
    context.fill(area)
    context.globalAlpha = EDGE_ALPHA
    context.lineWidth = ratio
    context.stroke(upper)
    context.stroke(lower)
    from = to
  }
  context.globalAlpha = 1
}

/** Splits the line into stretches of one width each; it is thinner where fewer members have a value. */
function drawLine(
  context: CanvasRenderingContext2D,
  { x, line, count, members }: PaintedBand,
  projection: Projection,
  ratio: number,
): void {
  const widthOf = (row: number): number => Math.ceil((count[row] / Math.max(1, members)) * WIDTHS)
  for (let from = 0; from < x.length;) {
    const width = widthOf(from)
    context.lineWidth = (THINNEST + ((WIDEST - THINNEST) * width) / WIDTHS) * ratio
    context.beginPath()
    let row = from
    let drawing = false
    for (; row < x.length; row++) {
      if (drawable(line[row], projection.y)) {
        const px = projectX(projection, x[row])
        const py = project(projection, line[row])
        if (drawing) context.lineTo(px, py)
        else context.moveTo(px, py)
        drawing = true
      } else {
        drawing = false
      }
      // The next stretch begins at the end of this one.
      if (row > from && widthOf(row) !== width) break
    }
    context.stroke()
    from = row
  }
}

export class DensityLayer implements PlotLayer {
  private picture: HTMLCanvasElement | null = null
  private ink = ''

  /** @param scale the y scale for which it was counted */
  constructor(
    readonly density: Density,
    readonly scale: Scale,
    readonly x: Scale,
  ) {}

  xExtent(): Range | null {
    return this.density.members ? { min: this.density.low, max: this.density.high } : null
  }

  yExtent(): Range | null {
    const { members, bottom, top } = this.density
    return members ? { min: this.scale.from(bottom), max: this.scale.from(top) } : null
  }

  draw(context: CanvasRenderingContext2D, projection: Projection): void {
    const { low, high, bottom, top, members, width, height } = this.density
    // A density for another scale would be wrong; the right one is being fetched.
    if (
      !members ||
      projection.y.kind !== this.scale.kind ||
      projection.y.linear !== this.scale.linear ||
      projection.x.kind !== this.x.kind
    )
      return
    const left = projectX(projection, low)
    const right = projectX(projection, high)
    const upper = top * projection.ay + projection.by
    const lower = bottom * projection.ay + projection.by
    context.save()
    // Nearest-neighbour scaling would drop columns and leave gaps in steep lines.
    context.imageSmoothingEnabled = right - left < width || lower - upper < height
    context.drawImage(this.painted(), left, upper, right - left, lower - upper)
    context.restore()
  }

  private painted(): HTMLCanvasElement {
    const ink = currentInk().colour('var(--run-1)')
    if (this.picture && this.ink === ink) return this.picture
    this.ink = ink
    this.picture = paintDensity(this.density, ink)
    return this.picture
  }
}

/** Least opacity of a pixel that any line crosses. */
const FAINTEST = 0.1

/** Opacity of a pixel that `count` of the runs cross. */
export function strength(count: number, most: number): number {
  return count === 0 ? 0 : FAINTEST + (1 - FAINTEST) * (most > 1 ? Math.log(count) / Math.log(most) : 1)
}

function paintDensity({ width, height, counts }: Density, colour: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
  const picture = context.getImageData(0, 0, width, height)
  let most = 0
  for (const count of counts) if (count > most) most = count
  const alphas = Uint8Array.from({ length: most + 1 }, (_, count) => Math.round(255 * strength(count, most)))
  for (let at = 0; at < counts.length; at++) picture.data[4 * at + 3] = alphas[counts[at]]
  context.putImageData(picture, 0, 0)
  return canvas
}
