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

/** Milliseconds of the first slice, which is painted at once, and of the others, between which the page hears of the pointer. */
const FIRST_SLICE = 5
const SLICE = 10
/** Lines between two looks at the clock. */
const TOGETHER = 24
/** What came since is painted after so many milliseconds. */
const PAINT_EVERY = 90
/** Of more lines than these no single one is seen: whole pixels of CSS are fine enough. */
const FINE_UP_TO = 1500

export class LinePainter {
  private raster: DensityRaster | null = null
  private image: ImageData | null = null
  private job: { lines: Lines; next: number; painted: number | null; eases: Float32Array[]; froms: number[]; scale: number } | null = null
  /** Goes on after whatever waits, without waiting for a frame. */
  private readonly turns = new MessageChannel()

  constructor(private readonly canvas: HTMLCanvasElement, private readonly settled: () => void) {
    this.turns.port1.onmessage = () => this.slice()
  }

  /** Begins a drawing; one that is under way is given up. The older picture stays until the first slice is done. */
  draw(lines: Lines): void {
    const scale = lines.rows.length > FINE_UP_TO ? 1 : Math.min(2, window.devicePixelRatio || 1)
    const [width, height] = [Math.max(1, Math.round(lines.width * scale)), Math.max(1, Math.round(lines.height * scale))]
    if (this.raster?.width !== width || this.raster.height !== height) {
      this.raster = new DensityRaster(width, height)
      this.image = null
    } else this.raster.clear()
    const froms = lines.xs.map((x) => Math.round(x * scale))
    const eases = froms.slice(1).map((to, at) => easing(Math.max(1, to - froms[at])))
    const waiting = this.job !== null
    this.job = { lines, next: 0, painted: null, eases, froms, scale }
    // A turn of the drawing that is given up comes anyway, and does the work of the new one.
    this.slice(!waiting)
  }

  stop(): void {
    this.job = null
    this.turns.port1.close()
  }

  /** @param again whether another turn is to be asked for where there is more to do */
  private slice(again = true): void {
    const { job, raster } = this
    if (!job || !raster) return
    const { lines: { rows, ys, shades }, eases, froms, scale } = job
    const plain = rows.length > FINE_UP_TO
    const end = performance.now() + (job.painted === null ? FIRST_SLICE : SLICE)
    do {
      const stop = Math.min(rows.length, job.next + TOGETHER)
      for (; job.next < stop; job.next++) {
        const row = rows[job.next]
        for (let axis = 0; axis < eases.length; axis++) {
          const [from, to] = [ys[axis][row] * scale, ys[axis + 1][row] * scale]
          if (plain) raster.addPlain(froms[axis], from, to, eases[axis], shades[row])
          else raster.add(froms[axis], from, to, eases[axis], shades[row])
        }
      }
    } while (job.next < rows.length && performance.now() < end)
    const done = job.next >= rows.length
    if (done || job.painted === null || performance.now() - job.painted > PAINT_EVERY) {
      this.paint(job.lines, job.next)
      job.painted = performance.now()
    }
    if (done) {
      this.job = null
      this.settled()
    } else if (again) this.turns.port2.postMessage(null)
  }

  /** So few lines are drawn as if they were all: a sample is as dense as the whole. */
  private paint({ colours, alpha, few }: Lines, drawn: number): void {
    const context = this.canvas.getContext('2d')
    if (!context || !this.raster) return
    const { width, height } = this.raster
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
    }
    this.image ??= context.createImageData(width, height)
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
