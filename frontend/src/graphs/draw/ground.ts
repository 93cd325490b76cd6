/** The background of the canvas with its grid of dots. Called by the stage. */
import type { Ink } from '../../charts/drawing/theme'
import type { Pen } from './look'
import type { View } from './view'

const STEP = 16
const tiles = new Map<string, HTMLCanvasElement>()

function tileOf(colour: string, step: number): HTMLCanvasElement | null {
  const key = `${colour}|${step}`
  let tile = tiles.get(key)
  if (!tile) {
    tile = document.createElement('canvas')
    tile.width = tile.height = step
    const pen = tile.getContext('2d')
    if (!pen) return null
    pen.fillStyle = colour
    pen.beginPath()
    pen.arc(step / 2, step / 2, step / 16, 0, 2 * Math.PI)
    pen.fill()
    if (tiles.size > 64) tiles.clear()
    tiles.set(key, tile)
  }
  return tile
}

/**
 * Fills the canvas. Dots stay 12 to 24 px apart at every zoom.
 * @param pen in pixels of the canvas
 * @param left position of the canvas' left edge in world pixels at this zoom
 */
export function paintGround(
  pen: Pen,
  ink: Ink,
  view: View,
  ratio: number,
  width: number,
  height: number,
  left: number,
  top: number,
): void {
  pen.fillStyle = ink.colour('var(--panel)')
  pen.fillRect(0, 0, width, height)
  let step = STEP * view.zoom
  while (step < 12) step *= 2
  while (step >= 24) step /= 2
  const whole = Math.round(step * ratio)
  const tile = tileOf(ink.colour('var(--line)'), whole)
  const pattern = tile && pen.createPattern(tile, 'repeat')
  if (!pattern) return
  const [dx, dy] = [-(((left * ratio) % whole) + whole) % whole, -(((top * ratio) % whole) + whole) % whole]
  pen.save()
  pen.translate(dx, dy)
  pen.fillStyle = pattern
  pen.fillRect(0, 0, width + whole, height + whole)
  pen.restore()
}
