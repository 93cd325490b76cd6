/** The signed difference of two pictures, pixel by pixel. Pure; drawn by the comparison. */

export type Colour = readonly [number, number, number]

export interface Difference {
  /** RGBA, as a canvas takes it. */
  pixels: Uint8ClampedArray<ArrayBuffer>
  /** Largest absolute difference of any pixel, 0 to 255: both ends of the scale. */
  most: number
}

/** Mean of the three channels of one pixel. */
function mean(rgba: Uint8ClampedArray, at: number): number {
  return (rgba[at] + rgba[at + 1] + rgba[at + 2]) / 3
}

/** Mean over the channels of `b` minus `a`, for each pixel. */
export function signedDifference(a: Uint8ClampedArray, b: Uint8ClampedArray): Float32Array {
  const found = new Float32Array(a.length / 4)
  for (let pixel = 0; pixel < found.length; pixel++) found[pixel] = mean(b, pixel * 4) - mean(a, pixel * 4)
  return found
}

/**
 * Paints a difference: blue where the second picture is darker, red where it is brighter.
 * @param colours for the lowest value, zero and the highest
 */
export function paintDifference(
  values: Float32Array,
  [low, zero, high]: readonly [Colour, Colour, Colour],
): Difference {
  let most = 0
  for (const value of values) most = Math.max(most, Math.abs(value))
  const pixels = new Uint8ClampedArray(values.length * 4)
  values.forEach((value, pixel) => {
    const share = most ? Math.abs(value) / most : 0
    const end = value < 0 ? low : high
    for (let channel = 0; channel < 3; channel++)
      pixels[pixel * 4 + channel] = zero[channel] + (end[channel] - zero[channel]) * share
    pixels[pixel * 4 + 3] = 255
  })
  return { pixels, most }
}

/** A colour of the design tokens, `#rrggbb`. */
export function parseColour(text: string): Colour {
  const number = parseInt(text.trim().replace('#', ''), 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}

/** Histogram of the channel means in equal bins of 0 to 255, with its minimum, maximum and mean. */
export function valueCounts(
  rgba: Uint8ClampedArray,
  bins: number,
): { counts: number[]; low: number; high: number; mean: number } {
  const counts = new Array<number>(bins).fill(0)
  let [low, high, sum] = [255, 0, 0]
  for (let at = 0; at < rgba.length; at += 4) {
    const value = mean(rgba, at)
    counts[Math.min(bins - 1, Math.floor((value / 256) * bins))]++
    low = Math.min(low, value)
    high = Math.max(high, value)
    sum += value
  }
  const pixels = rgba.length / 4
  return { counts, low: Math.round(low), high: Math.round(high), mean: pixels ? sum / pixels : 0 }
}

/** Whether a picture is grey. */
export function greyOf(rgba: Uint8ClampedArray): boolean {
  for (let at = 0; at < rgba.length; at += 4) if (rgba[at] !== rgba[at + 1] || rgba[at] !== rgba[at + 2]) return false
  return true
}
