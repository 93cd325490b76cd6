/**
 * Draws a plane on a canvas: the heat map, texts in cells that are large enough, hatches for NaN and infinities. Called
 * by the grid.
 */
import { shadeOf, type Palette, type Span } from '../palette'
import { cellText, TILE, type Notation, type Tile, type ValueTile } from '../tiles'
import {
  cellSize,
  levelOf,
  TEXT_ZOOM,
  tilesOf,
  topLevel,
  windowOf,
  type Frame,
  type TileAt,
  type View,
} from './viewport'

export type Pen = CanvasRenderingContext2D

export interface Look {
  palette: Palette
  span: Span
  notation: Notation
  power: number
  font: string
}

/** Size in pixels from which cells have a hatch; smaller ones have a plain colour. */
const HATCHED_FROM = 6

interface Picture {
  look: string
  canvas: HTMLCanvasElement
}
const pictures = new WeakMap<Tile, Picture>()

const lookKey = ({ palette, span }: Look): string =>
  `${palette.css[0]}${palette.css[128]}${palette.css[255]}${palette.nan}${span.low}${span.high}`

function pixelsOf(tile: Tile, { palette, span }: Look): Uint32Array<ArrayBuffer> {
  const count = tile.rows * tile.columns
  const pixels = new Uint32Array(count)
  const values = tile.kind === 'values' ? tile.value : tile.mean
  for (let at = 0; at < count; at++) {
    const value = values[at]
    if (tile.kind === 'blocks' && tile.nan[at]) pixels[at] = palette.nan
    else if (tile.kind === 'blocks' && (tile.posInf[at] || tile.negInf[at])) pixels[at] = palette.inf
    else if (Number.isNaN(value)) pixels[at] = palette.nan
    else pixels[at] = Number.isFinite(value) ? palette.pixels[shadeOf(value, span)] : palette.inf
  }
  return pixels
}

/** A tile as an image with one pixel for each cell, cached for each look. */
export function pictureOf(tile: Tile, look: Look): HTMLCanvasElement | null {
  const key = lookKey(look)
  const known = pictures.get(tile)
  if (known?.look === key) return known.canvas
  if (!tile.rows || !tile.columns) return null
  const canvas = document.createElement('canvas')
  canvas.width = tile.columns
  canvas.height = tile.rows
  const pen = canvas.getContext('2d')
  if (!pen) return null
  pen.putImageData(new ImageData(new Uint8ClampedArray(pixelsOf(tile, look).buffer), tile.columns, tile.rows), 0, 0)
  pictures.set(tile, { look: key, canvas })
  return canvas
}

/** Diagonal stripes: rising for NaN and +Inf, falling for -Inf. */
function hatch(pen: Pen, colour: string, ground: string, falls: boolean): CanvasPattern | null {
  const side = 6
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const small = canvas.getContext('2d')
  if (!small) return null
  small.fillStyle = ground
  small.fillRect(0, 0, side, side)
  small.strokeStyle = colour
  small.lineWidth = 2
  for (const shift of [-side, 0, side]) {
    small.beginPath()
    small.moveTo(shift - 1, falls ? -1 : side + 1)
    small.lineTo(shift + side + 1, falls ? side + 1 : -1)
    small.stroke()
  }
  return pen.createPattern(canvas, 'repeat')
}

interface Hatches {
  nan: CanvasPattern | null
  up: CanvasPattern | null
  down: CanvasPattern | null
}
const hatches = new WeakMap<Palette, Hatches>()

function hatchesOf(pen: Pen, palette: Palette): Hatches {
  const known = hatches.get(palette)
  if (known) return known
  const made = {
    nan: hatch(pen, palette.nanCss, palette.panelCss, false),
    up: hatch(pen, palette.infCss, palette.panelCss, false),
    down: hatch(pen, palette.infCss, palette.panelCss, true),
  }
  hatches.set(palette, made)
  return made
}

type Get = (at: TileAt) => Tile | undefined

/** Draws a tile at its position; `at` is its row and column in its level. */
function place(pen: Pen, tile: Tile, at: TileAt, view: View, frame: Frame, look: Look): void {
  const picture = pictureOf(tile, look)
  if (!picture) return
  const size = 2 ** at.level
  const { high, wide } = cellSize(view.zoom, frame)
  const left = (at.column * TILE * size - view.column) * wide
  const top = (at.row * TILE * size - view.row) * high
  // The last block of a row may cover fewer columns; the part beyond the plane is cut off.
  pen.drawImage(picture, left, top, tile.columns * size * wide, tile.rows * size * high)
}

/** The tiles of a view, and the tile of the whole plane. */
export function neededTiles(view: View, frame: Frame): TileAt[] {
  if (!frame.rows || !frame.columns) return []
  return [
    ...tilesOf(windowOf(view, frame), levelOf(view.zoom)),
    { level: topLevel(frame.rows, frame.columns), row: 0, column: 0 },
  ]
}

/** Draws the visible tiles; a coarser tile replaces one that is still loading. */
export function paintPlane(pen: Pen, view: View, frame: Frame, get: Get, look: Look): void {
  pen.save()
  const { high, wide } = cellSize(view.zoom, frame)
  pen.beginPath()
  pen.rect(
    0,
    0,
    Math.min(frame.width, (frame.columns - view.column) * wide),
    Math.min(frame.height, (frame.rows - view.row) * high),
  )
  pen.clip()
  pen.imageSmoothingEnabled = false
  const window = windowOf(view, frame)
  const level = levelOf(view.zoom)
  const top = topLevel(frame.rows, frame.columns)
  const tiles = tilesOf(window, level)
  const missing = tiles.some((at) => !get(at))
  for (let above = missing ? top : level; above > level; above--) {
    for (const at of tilesOf(window, above)) {
      const tile = get(at)
      if (tile) place(pen, tile, at, view, frame, look)
    }
  }
  for (const at of tiles) {
    const tile = get(at)
    if (!tile) continue
    if (view.zoom < TEXT_ZOOM || tile.kind === 'blocks') place(pen, tile, at, view, frame, look)
    if (tile.kind === 'values' && view.zoom >= HATCHED_FROM) paintCells(pen, tile, at, view, frame, look)
  }
  pen.restore()
}

function paintCells(pen: Pen, tile: ValueTile, at: TileAt, view: View, frame: Frame, look: Look): void {
  const window = windowOf(view, frame)
  const each = cellSize(view.zoom, frame)
  const texts = view.zoom >= TEXT_ZOOM
  const { palette } = look
  const patterns = hatchesOf(pen, palette)
  pen.font = look.font
  pen.textBaseline = 'middle'
  const gap = texts ? 1 : 0
  const [rowShift, columnShift] = [at.row * TILE, at.column * TILE]
  const lastRow = Math.min(window.endRow, rowShift + tile.rows)
  const lastColumn = Math.min(window.endColumn, columnShift + tile.columns)
  for (let row = Math.max(window.firstRow, rowShift); row < lastRow; row++) {
    const top = Math.round((row - view.row) * each.high)
    const high = Math.round((row + 1 - view.row) * each.high) - top - gap
    for (let column = Math.max(window.firstColumn, columnShift); column < lastColumn; column++) {
      const index = (row - rowShift) * tile.columns + column - columnShift
      const value = tile.value[index]
      const finite = Number.isFinite(value)
      if (finite && !texts) continue
      const left = Math.round((column - view.column) * each.wide)
      const broad = Math.round((column + 1 - view.column) * each.wide) - left - gap
      const shade = finite ? shadeOf(value, look.span) : 0
      const odd = Number.isNaN(value) ? patterns.nan : value > 0 ? patterns.up : patterns.down
      pen.fillStyle = finite ? palette.css[shade] : (odd ?? palette.nanCss)
      pen.fillRect(left, top, broad, high)
      if (!texts) continue
      const text = cellText(tile, index, look.notation, look.power)
      const middle = top + high / 2 + 0.5
      if (finite) {
        pen.fillStyle = palette.ink[shade]
        pen.textAlign = 'right'
        pen.fillText(text, left + broad - 7, middle)
      } else {
        const room = pen.measureText(text).width + 8
        pen.fillStyle = palette.panelCss
        pen.fillRect(left + (broad - room) / 2, top + 4, room, high - 8)
        pen.fillStyle = Number.isNaN(value) ? palette.nanCss : palette.infCss
        pen.textAlign = 'center'
        pen.fillText(text, left + broad / 2, middle)
      }
    }
  }
}
