/**
 * Draws thousands of lines as a density: every line adds its coverage to the pixels that it crosses, and what was added is turned
 * into colours in one go. A canvas would fill each line by itself, long after the script that asked for it has ended. Pure.
 */

/** RGBA, 0 to 255, by shade. */
export type Colours = Uint8ClampedArray
/** Coverages beyond this look alike. */
const FULL = 255
/** Steps of the table of opacities for one line's coverage. */
const FINE = 16

export class DensityRaster {
  private readonly weights: Float32Array
  private readonly sums: Float32Array

  constructor(readonly width: number, readonly height: number) {
    this.weights = new Float32Array(width * height)
    this.sums = new Float32Array(width * height)
  }

  clear(): void {
    this.weights.fill(0)
    this.sums.fill(0)
  }

  /**
   * Adds a line from column `from` to column `to` that leaves `y0` and reaches `y1` level.
   * @param ease share of the way by column, from 0 to 1, one more than there are columns
   */
  add(from: number, y0: number, y1: number, ease: Float32Array, shade: number): void {
    const { weights, sums, width, height } = this
    const way = y1 - y0
    let here = y0
    for (let k = 1; k < ease.length; k++) {
      const next = y0 + way * ease[k]
      let top = here - 0.5
      let foot = next + 0.5
      if (here > next) {
        top = next - 0.5
        foot = here + 0.5
      }
      here = next
      if (top < 0) top = 0
      if (foot > height) foot = height
      let at = Math.floor(top)
      const last = Math.min(height - 1, Math.floor(foot))
      let place = at * width + from + k - 1
      for (; at <= last; at++) {
        const covered = Math.min(foot, at + 1) - Math.max(top, at)
        weights[place] += covered
        sums[place] += covered * shade
        place += width
      }
    }
  }

  /** The same with whole pixels, for so many lines that nobody sees the steps of one: two thirds of the time less. */
  addPlain(from: number, y0: number, y1: number, ease: Float32Array, shade: number): void {
    const { weights, sums, width } = this
    const most = this.height - 1
    const way = y1 - y0
    let here = y0 < 0 ? 0 : y0 > most ? most : y0 | 0
    for (let k = 1; k < ease.length; k++) {
      const y = (y0 + way * ease[k]) | 0
      const next = y < 0 ? 0 : y > most ? most : y
      const column = from + k - 1
      let at = here < next ? here + 1 : here > next ? here - 1 : here
      const step = here < next ? width : -width
      let place = at * width + column
      while (true) {
        weights[place] += 1
        sums[place] += shade
        if (at === next) break
        at += here < next ? 1 : -1
        place += step
      }
      here = next
    }
  }

  /**
   * Writes the colours of what was added: the mean shade of the lines of a pixel, the more opaque the more they are.
   * @param pixels width * height RGBA
   * @param alpha opacity of one line
   */
  paint(pixels: Uint8ClampedArray, colours: Colours, alpha: number): void {
    const opacities = new Uint8ClampedArray(FULL * FINE + 1)
    for (let k = 0; k < opacities.length; k++) opacities[k] = 255 * (1 - (1 - alpha) ** (k / FINE))
    const { weights, sums } = this
    for (let at = 0, to = 0; at < weights.length; at++, to += 4) {
      const weight = weights[at]
      if (weight === 0) {
        pixels[to + 3] = 0
        continue
      }
      const colour = Math.round(sums[at] / weight) * 4
      pixels[to] = colours[colour]
      pixels[to + 1] = colours[colour + 1]
      pixels[to + 2] = colours[colour + 2]
      pixels[to + 3] = opacities[Math.min(opacities.length - 1, Math.round(weight * FINE))]
    }
  }
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
