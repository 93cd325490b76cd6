/** The pixels of a loaded picture: one, a region or all. Called by cells and the comparison. */
import { greyOf } from './compare/difference'

let probe: CanvasRenderingContext2D | null = null

/** Red, green, blue and opacity of one pixel, 0 to 255; null if the browser has no canvas. */
export function valueAt(image: HTMLImageElement, x: number, y: number): readonly number[] | null {
  probe ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  })
  if (!probe) return null
  probe.clearRect(0, 0, 1, 1)
  probe.drawImage(image, x, y, 1, 1, 0, 0, 1, 1)
  return [...probe.getImageData(0, 0, 1, 1).data]
}

/** All pixels of a picture. */
export function pixelsOf(image: HTMLImageElement): ImageData | null {
  const canvas = Object.assign(document.createElement('canvas'), {
    width: image.naturalWidth,
    height: image.naturalHeight,
  })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return null
  context.drawImage(image, 0, 0)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}

/** The pixels of a part of a picture: red, green, blue and opacity of each, row by row. */
export function regionOf(
  image: HTMLImageElement,
  x: number,
  y: number,
  width: number,
  height: number,
): Uint8ClampedArray | null {
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', {
    willReadFrequently: true,
  })
  if (!context || !width || !height) return null
  context.drawImage(image, x, y, width, height, 0, 0, width, height)
  return context.getImageData(0, 0, width, height).data
}

const PROBED = 64
const greys = new WeakMap<HTMLImageElement, boolean>()

/** Whether a picture is grey. Checks a smaller copy: scaling keeps greys grey. */
export function isGrey(image: HTMLImageElement): boolean {
  const known = greys.get(image)
  if (known !== undefined) return known
  const context = Object.assign(document.createElement('canvas'), { width: PROBED, height: PROBED }).getContext('2d', {
    willReadFrequently: true,
  })
  context?.drawImage(image, 0, 0, PROBED, PROBED)
  const found = context ? greyOf(context.getImageData(0, 0, PROBED, PROBED).data) : false
  greys.set(image, found)
  return found
}
