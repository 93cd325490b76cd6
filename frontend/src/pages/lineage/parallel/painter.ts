/** Paints lines of runs on a canvas in slices of a few milliseconds: a sample of all at once, the rest in the frames that follow. */
import { DensityRaster, easing, lineAlpha, type Colours } from './raster'

/** One drawing: what is drawn where. */
export interface Lines {
  /** In CSS pixels. */
  width: number
  height: number
  /** Where the axes stand. */
  xs: readonly number[]
  /** By axis and row, in CSS pixels. */
  ys: readonly Float32Array[]
  /** Rows that are drawn, in an order whose beginning is a fair sample. */
  rows: Uint32Array
  /** By row. */
  shades: Uint8Array
  colours: Colours
  /** Opacity of one line where there are few; `few` is how many that are. */
  alpha: number
  few: number
}

const SLICE = 9
/** Lines between two looks at the clock. */
const TOGETHER = 24
/** What is new is painted with the first slice, then after so many. */
const PAINT_EVERY = 4
/** Beyond so many lines finer pixels than CSS pixels show nothing more. */
const FINE_UP_TO = 2000

export class LinePainter {
  private raster: DensityRaster | null = null
  private image: ImageData | null = null
  private frame = 0
  private job: { lines: Lines; next: number; slices: number; eases: Float32Array[]; froms: number[]; scale: number } | null = null

  constructor(private readonly canvas: HTMLCanvasElement, private readonly settled: () => void) {}

  /** Begins a drawing; one that is under way is given up. The older picture stays until the first slice is done. */
  draw(lines: Lines): void {
    const scale = lines.rows.length > FINE_UP_TO ? 1 : Math.min(2, window.devicePixelRatio || 1)
    const [width, height] = [Math.max(1, Math.round(lines.width * scale)), Math.max(1, Math.round(lines.height * scale))]
    if (this.raster?.width !== width || this.raster.height !== height) {
      this.raster = new DensityRaster(width, height)
      this.image = new ImageData(width, height)
    } else this.raster.clear()
    const froms = lines.xs.map((x) => Math.round(x * scale))
    const eases = froms.slice(1).map((to, at) => easing(Math.max(1, to - froms[at])))
    this.job = { lines, next: 0, slices: 0, eases, froms, scale }
    cancelAnimationFrame(this.frame)
    this.slice()
  }

  stop(): void {
    cancelAnimationFrame(this.frame)
    this.job = null
  }

  private readonly slice = (): void => {
    const { job, raster } = this
    if (!job || !raster) return
    const { lines: { rows, ys, shades }, eases, froms, scale } = job
    const end = performance.now() + SLICE
    do {
      const stop = Math.min(rows.length, job.next + TOGETHER)
      for (; job.next < stop; job.next++) {
        const row = rows[job.next]
        for (let axis = 0; axis < eases.length; axis++) raster.add(froms[axis], ys[axis][row] * scale, ys[axis + 1][row] * scale, eases[axis], shades[row])
      }
    } while (job.next < rows.length && performance.now() < end)
    const done = job.next >= rows.length
    if (done || job.slices++ % PAINT_EVERY === 0) this.paint(job.lines, job.next)
    if (done) {
      this.job = null
      this.settled()
    } else this.frame = requestAnimationFrame(this.slice)
  }

  /** So few lines are drawn as if they were all: a sample is as dense as the whole. */
  private paint({ colours, alpha, few }: Lines, drawn: number): void {
    const context = this.canvas.getContext('2d')
    if (!context || !this.raster || !this.image) return
    const { width, height } = this.raster
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
    }
    this.raster.paint(this.image.data, colours, lineAlpha(drawn, alpha, few))
    context.putImageData(this.image, 0, 0)
  }
}

/** All rows in an order whose every beginning is a fair sample; the same for the same count. */
export function fairOrder(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, row) => row)
  // Fisher and Yates with a fixed generator (mulberry32): the picture must not flicker from one drawing to the next.
  let state = 0x9e3779b9
  for (let at = count - 1; at > 0; at--) {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    const other = ((mixed ^ (mixed >>> 14)) >>> 0) % (at + 1)
    const kept = order[at]
    order[at] = order[other]
    order[other] = kept
  }
  return order
}
