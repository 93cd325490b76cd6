/**
 * Paints the lines of runs on a canvas in slices of a few milliseconds: a sample of all at once, the rest in the
 * following frames. If only the set of runs changes, it adds the new lines and removes the old ones.
 */
import { DensityRaster, easing, lineAlpha, type Colours, type Gap, type Levels } from './raster'

/** One drawing. */
export interface Lines {
  /** In CSS pixels. */
  width: number
  height: number
  /** Positions of the axes. */
  xs: readonly number[]
  /** By axis and row, in CSS pixels. */
  ys: readonly Float32Array[]
  /** All rows in an order whose beginning is a fair sample. */
  order: Uint32Array
  /** By row, 1 if it is drawn. */
  drawn: Uint8Array
  levels: Levels
  /** By level, followed by that of rows without one. */
  colours: Colours
  /** Opacity of one line when at most `few` are drawn. */
  alpha: number
  few: number
}

/**
 * Milliseconds of the first slice, which is painted at once, and of the others. Pointer events are handled between
 * slices.
 */
const FIRST_SLICE = 8
const SLICE = 10
/** Lines drawn in one batch, in the first slice and afterwards. */
const FIRST_TOGETHER = 256
const TOGETHER = 1024
/** Milliseconds between two paints. */
const PAINT_EVERY = 90
/** Above this many lines no single one is visible, so CSS pixels and columns of two pixels are fine enough. */
const FINE_UP_TO = 1500

/** The contents of a raster: the lines and their positions. */
interface Held {
  of: Pick<Lines, 'width' | 'height' | 'xs' | 'ys' | 'levels'>
  scale: number
  raster: DensityRaster
  gaps: readonly Gap[]
  /** By row, 1 if it was added. */
  rows: Uint8Array
  count: number
}

/** Whether the raster holds these very lines. */
const isOf = ({ of }: Held, lines: Held['of']): boolean =>
  of.xs === lines.xs &&
  of.ys === lines.ys &&
  of.levels === lines.levels &&
  of.width === lines.width &&
  of.height === lines.height

interface Job {
  lines: Lines
  /** Rows to add or remove. */
  changes: Uint32Array
  next: number
  painted: number | null
}

export class LinePainter {
  private held: Held | null = null
  private image: ImageData | null = null
  private job: Job | null = null
  /** Continues after waiting tasks, without waiting for a frame. */
  private readonly turns = new MessageChannel()

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly settled: () => void,
  ) {
    this.turns.port1.onmessage = () => this.slice()
  }

  /** Starts a drawing and cancels the current one. The older picture stays until the first slice is done. */
  draw(lines: Lines): void {
    let wanted = 0
    for (const one of lines.drawn) wanted += one
    const held =
      wanted > FINE_UP_TO
        ? this.holding(lines, 1, 2)
        : this.holding(lines, Math.min(2, window.devicePixelRatio || 1), 1)
    let changes = lines.order.filter((row) => lines.drawn[row] !== held.rows[row])
    if (changes.length > wanted) {
      held.raster.clear()
      held.rows.fill(0)
      held.count = 0
      changes = lines.order.filter((row) => lines.drawn[row] === 1)
    }
    const waiting = this.job !== null
    this.job = { lines, changes, next: 0, painted: null }
    // The task of the cancelled drawing still runs and does the work of the new one.
    this.slice(!waiting)
  }

  /** Frees the memory of the drawing; the picture stays. */
  rest(): void {
    this.held = this.image = null
  }

  stop(): void {
    this.job = null
    this.turns.port1.close()
  }

  /** The held raster if it fits, otherwise an empty one. */
  private holding({ width, height, xs, ys, levels }: Lines, scale: number, wide: 1 | 2): Held {
    const { held } = this
    if (held && isOf(held, { width, height, xs, ys, levels }) && held.scale === scale && held.raster.wide === wide)
      return held
    const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
    const same = held?.raster.width === across && held.raster.height === down
    const fits = same && held.raster.wide === wide
    if (fits) held.raster.clear()
    if (!same) this.image = null
    const froms = xs.map((x) => Math.round((x * scale) / wide))
    const scaled = scale === 1 ? ys : ys.map((places) => places.map((y) => y * scale))
    const gaps = froms.slice(1).map((to, at) => ({
      from: froms[at],
      ease: easing(Math.max(1, to - froms[at])),
      left: scaled[at],
      right: scaled[at + 1],
    }))
    return (this.held = {
      of: { width, height, xs, ys, levels },
      scale,
      raster: fits ? held.raster : new DensityRaster(across, down, wide),
      gaps,
      rows: new Uint8Array(levels.length),
      count: 0,
    })
  }

  /** @param again whether to schedule another slice if work is left */
  private slice(again = true): void {
    const { job, held } = this
    if (!job || !held) return
    const first = job.painted === null
    const end = performance.now() + (first ? FIRST_SLICE : SLICE)
    do this.change(job, held)
    while (job.next < job.changes.length && performance.now() < end)
    const done = job.next >= job.changes.length
    if (done || job.painted === null || performance.now() - job.painted > PAINT_EVERY) {
      this.paint(job.lines, held)
      job.painted = performance.now()
    }
    if (done) {
      this.job = null
      this.settled()
    } else if (again) this.goOn(first)
  }

  /** Shows what was painted before the rest is drawn. */
  private goOn(first: boolean): void {
    if (first) requestAnimationFrame(() => this.turns.port2.postMessage(null))
    else this.turns.port2.postMessage(null)
  }

  /** Adds and removes the next lines. */
  private change(job: Job, { raster, gaps, rows }: Held): void {
    const some = job.changes.subarray(job.next, job.next + (job.painted === null ? FIRST_TOGETHER : TOGETHER))
    const parts = [
      [1, some.filter((row) => rows[row] === 0)],
      [-1, some.filter((row) => rows[row] === 1)],
    ] as const
    for (const [sign, changed] of parts) {
      if (changed.length) for (const gap of gaps) raster.add(gap, changed, job.lines.levels, sign)
    }
    for (const row of some) {
      if (this.held) this.held.count += rows[row] ? -1 : 1
      rows[row] ^= 1
    }
    job.next += some.length
  }

  /** Takes the opacity for the lines drawn so far, so a sample looks as dense as the whole. */
  private paint({ colours, alpha, few }: Lines, { raster, count }: Held): void {
    const context = this.canvas.getContext('2d')
    if (!context) return
    const { width, height } = raster
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
    }
    this.image ??= context.createImageData(width, height)
    raster.paint(this.image.data, colours, lineAlpha(count, alpha, few))
    context.putImageData(this.image, 0, 0)
  }
}

/** All rows in an order whose every prefix is a fair sample; the same for the same count. */
export function fairOrder(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, row) => row)
  // Fisher-Yates with a fixed generator (mulberry32), so that the picture does not flicker between drawings.
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
