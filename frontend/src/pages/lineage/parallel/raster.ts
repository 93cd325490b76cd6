/**
 * Draws thousands of lines as a density: every line adds its coverage to the pixels that it crosses, and the sums are
 * turned into colours at once. A canvas would fill each line separately, long after the script that asked for it has
 * ended. Pure.
 *
 * Each column of pixels stores only the changes from one pixel to the next, so a line costs the same at any slope. The
 * changes are whole numbers, so they are exact: a removed line leaves nothing behind, and a brush costs only the lines
 * that change.
 */

/** RGBA, 0 to 255, by colour. */
export type Colours = Uint8ClampedArray
/** By row, its level by target, below LEVELS; -1 if it has none. */
export type Levels = Int16Array
export const LEVELS = 1024

/** Subpixels in which coverage is counted. */
const SHIFT = 4
const PARTS = 1 << SHIFT
/** Coverage by more lines than this looks the same. */
const FULL = 255
/** What one subpixel of a line adds: a value above any sum of levels. Exact for a hundred thousand lines. */
const ONE = 2 ** 31
/** Extra pixels at the end of a column for the last changes. */
const BEHIND = 2
/** Columns painted together. */
const BLOCK = 16

/**
 * The gap between two axes: its first column in the raster, and the easing at each column edge (one more than columns).
 */
export interface Gap {
  from: number
  ease: Float32Array
  /** By row, in pixels, at the left and right end of the gap. */
  left: Float32Array
  right: Float32Array
}

export class DensityRaster {
  private readonly stride: number
  private readonly columns: number
  /** By column and pixel, the change from the pixel above. */
  private readonly changes: Float64Array
  /** The same for lines without a level; allocated when needed. */
  private bare: Float64Array | null = null
  /** Bounds of all lines: `from` is the first column or pixel, `to` is one past the last. */
  private readonly across = { from: Infinity, to: 0 }
  private readonly down = { from: Infinity, to: 0 }

  /**
   * @param width and height in pixels
   * @param wide pixels per column, 1 or 2; with 2, a pixel between two columns is the mean of both
   */
  constructor(
    readonly width: number,
    readonly height: number,
    readonly wide: 1 | 2 = 1,
  ) {
    this.stride = height + BEHIND
    this.columns = Math.ceil(width / wide)
    this.changes = new Float64Array(this.columns * this.stride)
  }

  clear(): void {
    this.changes.fill(0)
    this.bare?.fill(0)
  }

  /**
   * Adds or removes lines, column by column, so that memory accesses stay close together.
   * @param sign 1 to add, -1 to remove lines that were added
   */
  add(gap: Gap, rows: Uint32Array, levels: Levels, sign: 1 | -1): void {
    const count = rows.length
    const before = new Int32Array(count)
    const start = new Float32Array(count)
    const way = new Float32Array(count)
    const adds = new Float64Array(count)
    const bare: number[] = []
    let [highest, lowest] = [Infinity, 0]
    for (let at = 0; at < count; at++) {
      const [left, right, level] = [gap.left[rows[at]], gap.right[rows[at]], levels[rows[at]]]
      before[at] = start[at] = left * PARTS
      way[at] = (right - left) * PARTS
      highest = Math.min(highest, left, right)
      lowest = Math.max(lowest, left, right)
      adds[at] = level < 0 ? 0 : sign * (ONE + level)
      if (level < 0) bare.push(at)
    }
    // A line is one pixel thick, half on each side.
    widen(this.down, Math.floor(highest) - 1, Math.ceil(lowest) + 2, this.height)
    widen(this.across, gap.from, gap.from + gap.ease.length - 1, this.columns)
    for (let k = 1; k < gap.ease.length; k++) {
      const column = (gap.from + k - 1) * this.stride
      this.addColumn(this.changes, column, before, start, way, gap.ease[k], adds)
    }
    if (bare.length) this.addBare(gap, bare, rows, sign)
  }

  private addBare(gap: Gap, bare: readonly number[], rows: Uint32Array, sign: 1 | -1): void {
    this.bare ??= new Float64Array(this.changes.length)
    const start = Float32Array.from(bare, (at) => gap.left[rows[at]] * PARTS)
    const way = Float32Array.from(bare, (at, k) => gap.right[rows[at]] * PARTS - start[k])
    const [before, adds] = [Int32Array.from(start), new Float64Array(bare.length).fill(sign)]
    for (let k = 1; k < gap.ease.length; k++)
      this.addColumn(this.bare, (gap.from + k - 1) * this.stride, before, start, way, gap.ease[k], adds)
  }

  /** @param before where the lines enter the column; afterwards, where they leave it */
  private addColumn(
    changes: Float64Array,
    column: number,
    before: Int32Array,
    start: Float32Array,
    way: Float32Array,
    ease: number,
    adds: Float64Array,
  ): void {
    const most = this.height * PARTS
    const half = PARTS / 2
    for (let at = 0; at < before.length; at++) {
      const here = before[at]
      const next = (start[at] + way[at] * ease) | 0
      before[at] = next
      let top = here - half
      let foot = next + half
      if (here > next) {
        top = next - half
        foot = here + half
      }
      if (top < 0) top = 0
      if (foot > most) foot = most
      if (top >= foot) continue
      const add = adds[at]
      const above = add * (top & (PARTS - 1))
      const below = add * (foot & (PARTS - 1))
      const first = column + (top >> SHIFT)
      const last = column + (foot >> SHIFT)
      changes[first] += add * PARTS - above
      changes[first + 1] += above
      changes[last] -= add * PARTS - below
      changes[last + 1] -= below
    }
  }

  /**
   * Writes the colours of the raster: the colour of the mean level of a pixel's lines, more opaque with more lines.
   * @param pixels width * height RGBA
   * @param colours by level, followed by that of lines without one
   * @param alpha opacity of one line
   */
  paint(pixels: Uint8ClampedArray, colours: Colours, alpha: number): void {
    const { width, height, wide, stride, changes, bare, across, down } = this
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
    const ink = {
      palette: new Uint32Array(colours.slice().buffer).map((word) => word & RGB),
      opacities: opacitiesOf(alpha),
    }
    words.fill(0)
    // In blocks of columns, because pixels are stored by row and changes by column; so memory accesses stay close
    // together.
    const sums = new Float64Array(BLOCK + 1)
    const without = new Float64Array(BLOCK + 1)
    for (let first = Math.max(0, across.from - 1); first < across.to; first += BLOCK) {
      const count = Math.min(BLOCK, across.to - first)
      // The space between the last column and the next block needs the next block.
      const summed = Math.min(count + 1, this.columns - first)
      sums.fill(0)
      without.fill(0)
      for (let y = down.from; y < down.to; y++) {
        for (let k = 0, at = first * stride + y; k < summed; k++, at += stride) sums[k] += changes[at]
        if (bare) for (let k = 0, at = first * stride + y; k < summed; k++, at += stride) without[k] += bare[at]
        const end = (y + 1) * width
        for (let k = 0, to = y * width + first * wide; k < count; k++, to += wide) {
          words[to] = wordOf(sums[k], without[k], 1, ink)
          if (wide === 1 || to + 1 >= end) continue
          const next = k + 1 < summed ? k + 1 : k
          words[to + 1] = wordOf(sums[k] + sums[next], without[k] + without[next], 2, ink)
        }
      }
    }
  }
}

/** Colours as 32-bit pixels, by level and by coverage. */
interface Ink {
  palette: Uint32Array
  opacities: Uint32Array
}

/**
 * A 32-bit pixel.
 * @param of number of columns in the sums
 */
function wordOf(sum: number, without: number, of: 1 | 2, { palette, opacities }: Ink): number {
  const most = opacities.length - 1
  if (sum < ONE) return without > 0 ? palette[LEVELS] | opacities[Math.min(most, (without / of) | 0)] : 0
  const weight = Math.floor(sum / ONE)
  const all = (weight + without) / of
  return palette[(sum / weight - ONE) | 0] | opacities[all < most ? all | 0 : most]
}

/** Extends a range by another one, within 0 to `most`. */
function widen(stretch: { from: number; to: number }, from: number, to: number, most: number): void {
  stretch.from = Math.max(0, Math.min(stretch.from, from))
  stretch.to = Math.min(most, Math.max(stretch.to, to))
}

/** Mask of a 32-bit pixel without its opacity. */
const RGB = 0xffffff

/** By coverage in subpixels, the opacity of that many lines, in the bits of a 32-bit pixel. */
function opacitiesOf(alpha: number): Uint32Array {
  return Uint32Array.from(
    { length: FULL * PARTS + 1 },
    (_, parts) => Math.round(255 * (1 - (1 - alpha) ** (parts / PARTS))) << 24,
  )
}

/** The easing by column between two axes, horizontal at both ends. */
export function easing(columns: number): Float32Array {
  return Float32Array.from({ length: columns + 1 }, (_, k) => {
    const t = k / columns
    return t * t * (3 - 2 * t)
  })
}

/** CSS `rgb(...)` and `#rrggbb` as RGBA. */
export function rgbaOf(css: readonly string[]): Colours {
  const colours = new Uint8ClampedArray(css.length * 4)
  css.forEach((text, at) => {
    const hex = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(text)
    const channels = hex ? hex.slice(1).map((part) => parseInt(part, 16)) : (text.match(/[\d.]+/g) ?? []).map(Number)
    colours.set([channels[0] ?? 0, channels[1] ?? 0, channels[2] ?? 0, 255], at * 4)
  })
  return colours
}

/** The opacity of one line among this many: few lines are clear, thousands stay distinguishable. */
export function lineAlpha(lines: number, most: number, few: number): number {
  return lines <= few ? most : most * (few / lines) ** 0.45
}
