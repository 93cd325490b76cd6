/**
 * Draws thousands of lines as a density: every line adds its coverage to the pixels that it crosses, and what was added
 * is turned into colours in one go. A canvas would fill each line by itself, long after the script that asked for it
 * has ended. Pure.
 *
 * Of each column of pixels only the changes from one pixel to the next are kept, so a line costs the same however steep
 * it is, and being whole numbers they are exact: a line that is taken away leaves nothing behind, and a brush costs the
 * lines that it changes.
 */

/** RGBA, 0 to 255, by colour. */
export type Colours = Uint8ClampedArray
/** By row, what the target is worth, below this; -1 where it has none. */
export type Levels = Int16Array
export const LEVELS = 1024

/** Parts of a pixel, whose coverage is counted. */
const SHIFT = 4
const PARTS = 1 << SHIFT
/** Coverages beyond so many lines look alike. */
const FULL = 255
/** What one part of a line adds: itself above what levels add up to. Of a hundred thousand lines all of it is exact. */
const ONE = 2 ** 31
/** Pixels behind the last one of a column, into which the last changes fall. */
const BEHIND = 2
/** Columns that are painted together. */
const BLOCK = 16

/**
 * What lies between two axes: its first column of the raster, and the shares of the way, one more than there are
 * columns.
 */
export interface Gap {
  from: number
  ease: Float32Array
  /** By row, in pixels, at its left and right end. */
  left: Float32Array
  right: Float32Array
}

export class DensityRaster {
  private readonly stride: number
  private readonly columns: number
  /** By column and pixel, how much more there is than in the pixel above. */
  private readonly changes: Float64Array
  /** The same of lines without a level; made when there is one. */
  private bare: Float64Array | null = null
  /** Columns and pixels beyond which no line went: `from` is the first one, `to` the one behind the last. */
  private readonly across = { from: Infinity, to: 0 }
  private readonly down = { from: Infinity, to: 0 }

  /**
   * @param width and height in pixels
   * @param wide pixels of a column, 1 or 2; what lies between two of the latter is half of each
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
   * Adds lines, or takes them away: column by column, so that what is written lies together.
   * @param sign 1 or -1, the latter for lines that were added
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
    // A line is as high as a pixel, half of it on each side.
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

  /** @param before where the lines came into the column; afterwards, where they left it */
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
   * Writes the colours of what was added: that of the mean level of the lines of a pixel, the more opaque the more they
   * are.
   * @param pixels width * height RGBA
   * @param colours by level, and behind them that of lines without one
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
    // Blocks of columns, so that what is read and what is written lies together: pixels are kept by row, changes by
    // column.
    const sums = new Float64Array(BLOCK + 1)
    const without = new Float64Array(BLOCK + 1)
    for (let first = Math.max(0, across.from - 1); first < across.to; first += BLOCK) {
      const count = Math.min(BLOCK, across.to - first)
      // What lies between the last one and the next block needs the next one.
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

/** Colours as pixels have them as numbers, by level and by coverage. */
interface Ink {
  palette: Uint32Array
  opacities: Uint32Array
}

/**
 * A pixel as a number.
 * @param of so many columns the sums are
 */
function wordOf(sum: number, without: number, of: 1 | 2, { palette, opacities }: Ink): number {
  const most = opacities.length - 1
  if (sum < ONE) return without > 0 ? palette[LEVELS] | opacities[Math.min(most, (without / of) | 0)] : 0
  const weight = Math.floor(sum / ONE)
  const all = (weight + without) / of
  return palette[(sum / weight - ONE) | 0] | opacities[all < most ? all | 0 : most]
}

/** Makes a stretch hold another one, within 0 to `most`. */
function widen(stretch: { from: number; to: number }, from: number, to: number, most: number): void {
  stretch.from = Math.max(0, Math.min(stretch.from, from))
  stretch.to = Math.min(most, Math.max(stretch.to, to))
}

/** Of a pixel as a number, what is not its opacity. */
const RGB = 0xffffff

/** By coverage in parts, how opaque so many lines are, where pixels as numbers have it. */
function opacitiesOf(alpha: number): Uint32Array {
  return Uint32Array.from(
    { length: FULL * PARTS + 1 },
    (_, parts) => Math.round(255 * (1 - (1 - alpha) ** (parts / PARTS))) << 24,
  )
}

/** The shares of the way by column between two axes, level at both ends. */
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

/** How opaque one of so many lines is, so that few are clear and thousands leave room to be told apart. */
export function lineAlpha(lines: number, most: number, few: number): number {
  return lines <= few ? most : most * (few / lines) ** 0.45
}
