/** Paints thousands of round points into the pixels of a canvas, one stamp each: several times as fast as drawing arcs. Pure but for its image. */

export type Rgb = readonly [number, number, number]

/** The shape of a point: how much of each pixel it covers. */
export interface Stamp {
  size: number
  cover: Float32Array
}

/** How often each pixel is looked at, in both directions. */
const FINE = 4

/** A disc of a radius in pixels of the canvas. */
export function discStamp(radius: number): Stamp {
  const size = Math.max(1, Math.ceil(radius * 2))
  const cover = new Float32Array(size * size)
  const middle = size / 2
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let inside = 0
      for (let k = 0; k < FINE * FINE; k++) {
        const [dx, dy] = [x + ((k % FINE) + 0.5) / FINE - middle, y + (Math.floor(k / FINE) + 0.5) / FINE - middle]
        if (dx * dx + dy * dy <= radius * radius) inside++
      }
      cover[y * size + x] = inside / (FINE * FINE)
    }
  }
  return { size, cover }
}

/** An image with nothing in it, to stamp on. */
export interface Sheet {
  width: number
  height: number
  data: Uint8ClampedArray
}

/**
 * Puts a stamp over what is there, its middle at a place in pixels of the sheet.
 * @param alpha how much of what is below is hidden, 0 to 1
 */
export function stampAt({ width, height, data }: Sheet, { size, cover }: Stamp, x: number, y: number, [red, green, blue]: Rgb, alpha: number): void {
  const left = Math.round(x - size / 2)
  const top = Math.round(y - size / 2)
  for (let dy = 0; dy < size; dy++) {
    const py = top + dy
    if (py < 0 || py >= height) continue
    for (let dx = 0; dx < size; dx++) {
      const px = left + dx
      const over = cover[dy * size + dx] * alpha
      if (over === 0 || px < 0 || px >= width) continue
      const at = 4 * (py * width + px)
      const under = (data[at + 3] / 255) * (1 - over)
      const whole = over + under
      data[at] = (red * over + data[at] * under) / whole
      data[at + 1] = (green * over + data[at + 1] * under) / whole
      data[at + 2] = (blue * over + data[at + 2] * under) / whole
      data[at + 3] = whole * 255
    }
  }
}

/** The channels of a colour as CSS has it, `#rrggbb` or `rgb(...)`; grey for another one. */
export function rgbOf(css: string): Rgb {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(css)
  if (hex) return [parseInt(hex[1], 16), parseInt(hex[2], 16), parseInt(hex[3], 16)]
  const found = css.match(/[\d.]+/g)?.map(Number) ?? []
  return found.length >= 3 ? [found[0], found[1], found[2]] : [128, 128, 128]
}
