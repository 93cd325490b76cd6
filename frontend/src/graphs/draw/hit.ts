/** Finds what is at a position of the drawing, by a grid of cells with their boxes. Called for pointers. */
import { BOX, type BoxWords } from '../scene/measure'
import { holds, type DrawnBox, type DrawnEdge, type Drawing } from '../scene/drawing'
import { chipsOf } from './chips'

export interface Hit {
  box: DrawnBox
  /** The header of an opened container, its ground, or a closed box. */
  part: 'box' | 'header' | 'ground'
  /** The instance that the chip at this position selects. */
  instance: number | null
}

const CELL = 160
/** Boxes that cover more cells than this are checked one by one. */
const MOST_CELLS = 64

export class HitGrid {
  private readonly cells = new Map<number, DrawnBox[]>()
  private readonly large: DrawnBox[] = []
  private readonly columns: number

  constructor(
    private readonly drawing: Drawing,
    private readonly words: BoxWords,
  ) {
    this.columns = Math.ceil(drawing.width / CELL) + 2
    for (const box of drawing.boxes) {
      const [left, right] = [this.cellOf(box.x), this.cellOf(box.x + box.width)]
      const [top, bottom] = [this.cellOf(box.y), this.cellOf(box.y + box.height)]
      if ((right - left + 1) * (bottom - top + 1) > MOST_CELLS) {
        this.large.push(box)
        continue
      }
      for (let row = top; row <= bottom; row++)
        for (let column = left; column <= right; column++) this.put(row * this.columns + column, box)
    }
  }

  /** The innermost box at a position, or null. */
  at(x: number, y: number): Hit | null {
    let found: DrawnBox | null = null
    const cell = this.cells.get(this.cellOf(y) * this.columns + this.cellOf(x)) ?? []
    for (const group of [this.large, cell])
      for (const box of group) if (holds(box, x, y) && (!found || box.depth > found.depth)) found = box
    if (!found) return null
    if (!found.open) return { box: found, part: 'box', instance: null }
    if (y > found.y + BOX.header) return { box: found, part: 'ground', instance: null }
    const chip = chipsOf(found, this.words).find((one) => holds(one, x, y))
    return { box: found, part: 'header', instance: chip?.instance ?? null }
  }

  /**
   * Index of the edge whose line is nearest to a position, within `reach`; -1 if there is none.
   * @param container only edges of this container, which contains the position
   */
  edgeAt(x: number, y: number, reach: number, container: string): number {
    let [nearest, least] = [-1, reach]
    this.drawing.edges.forEach((edge, index) => {
      if (edge.container !== container) return
      const distance = distanceTo(edge, x, y, least)
      if (distance >= least) return
      least = distance
      nearest = index
    })
    return nearest
  }

  private cellOf(place: number): number {
    return Math.max(0, Math.floor(place / CELL))
  }

  private put(cell: number, box: DrawnBox): void {
    const boxes = this.cells.get(cell)
    if (boxes) boxes.push(box)
    else this.cells.set(cell, [box])
  }
}

/** Distance of a position from an edge's line. Curves are approximated by eight straight pieces. */
function distanceTo({ points, from, to, dx, dy }: DrawnEdge, x: number, y: number, reach: number): number {
  let least = Infinity
  for (let at = from + 1; at < to; at++) {
    const [x1, y1, x2, y2] = [
      points[2 * at - 2] + dx,
      points[2 * at - 1] + dy,
      points[2 * at] + dx,
      points[2 * at + 1] + dy,
    ]
    if (
      x < Math.min(x1, x2) - reach ||
      x > Math.max(x1, x2) + reach ||
      y < Math.min(y1, y2) - reach ||
      y > Math.max(y1, y2) + reach
    )
      continue
    const pieces = x1 === x2 ? 1 : 8
    let [px, py] = [x1, y1]
    for (let piece = 1; piece <= pieces; piece++) {
      const t = piece / pieces
      const qx = x1 + (x2 - x1) * (3 * t * t - 2 * t * t * t)
      const qy = y1 * (1 - t) ** 3 + ((y1 + y2) / 2) * 3 * t * (1 - t) + y2 * t ** 3
      least = Math.min(least, toPiece(x, y, px, py, qx, qy))
      px = qx
      py = qy
    }
  }
  return least
}

function toPiece(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2
  const t = length ? Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) : 0
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1))
}
