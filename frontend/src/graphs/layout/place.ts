/**
 * Computes horizontal positions by Brandes and Köpf (2001), with edges that need not leave in the middle of a box
 * (Rüegg et al. 2015): four compacted alignments, and the median of the four. Called by layered.ts.
 */
import type { Layers } from './layers'
import { positionsOf } from './order'
import { GAP } from './types'

export interface Sizes {
  /** Widths by vertex; places of long edges have none. */
  width: Float32Array
  inAt: Float32Array
  outAt: Float32Array
}

interface Neighbours {
  /** Vertices of the adjacent rank by position, and the pieces that lead there. */
  start: Int32Array
  vertex: Int32Array
  piece: Int32Array
}

/**
 * The pieces that determine positions: if a box has an edge to a box of the next rank, its long edges do not count,
 * because each of them would pull a chain sideways.
 */
function piecesThatCount({ boxes, from, to }: Layers): number[] {
  const leads = new Uint8Array(boxes)
  const isLed = new Uint8Array(boxes)
  from.forEach((upper, piece) => {
    if (upper >= boxes || to[piece] >= boxes) return
    leads[upper] = 1
    isLed[to[piece]] = 1
  })
  return Array.from(from.keys()).filter((piece) => {
    const [upper, lower] = [from[piece], to[piece]]
    if (upper < boxes && lower >= boxes) return !leads[upper]
    return upper < boxes || lower >= boxes || !isLed[lower]
  })
}

/** Neighbours in the rank above (or below), each list in the order of that rank. */
function sortedNeighbours(layers: Layers, order: readonly Int32Array[], above: boolean): Neighbours {
  const [own, other] = above ? [layers.to, layers.from] : [layers.from, layers.to]
  const position = positionsOf(layers.count, order)
  const pieces = piecesThatCount(layers).sort((a, b) => position[other[a]] - position[other[b]] || a - b)
  const start = new Int32Array(layers.count + 1)
  for (const piece of pieces) start[own[piece] + 1]++
  for (let vertex = 0; vertex < layers.count; vertex++) start[vertex + 1] += start[vertex]
  const next = start.slice(0, layers.count)
  const vertex = new Int32Array(pieces.length)
  const piece = new Int32Array(pieces.length)
  for (const index of pieces) {
    const at = next[own[index]]++
    vertex[at] = other[index]
    piece[at] = index
  }
  return { start, vertex, piece }
}

/** Marks pieces that cross the inside of a long edge, because long edges should be straight. */
function findConflicts(
  layers: Layers,
  order: readonly Int32Array[],
  above: Neighbours,
  position: Int32Array,
): Uint8Array {
  const conflict = new Uint8Array(layers.from.length)
  const isPlace = (vertex: number): boolean => vertex >= layers.boxes
  for (let rank = 1; rank < order.length; rank++) {
    const layer = order[rank]
    let left = 0
    let scanned = 0
    layer.forEach((vertex, at) => {
      const inner =
        isPlace(vertex) && above.start[vertex] < above.start[vertex + 1] && isPlace(above.vertex[above.start[vertex]])
          ? above.vertex[above.start[vertex]]
          : -1
      if (inner < 0 && at < layer.length - 1) return
      const right = inner >= 0 ? position[inner] : order[rank - 1].length
      for (; scanned <= at; scanned++) {
        const scan = layer[scanned]
        for (let i = above.start[scan]; i < above.start[scan + 1]; i++) {
          const place = position[above.vertex[i]]
          if ((place < left || place > right) && !(isPlace(scan) && isPlace(above.vertex[i])))
            conflict[above.piece[i]] = 1
        }
      }
      left = right
    })
  }
  return conflict
}

/** The middle of each vertex; the smallest is not 0. */
export function placeAcross(layers: Layers, order: readonly Int32Array[], sizes: Sizes): Float64Array {
  const position = positionsOf(layers.count, order)
  const above = sortedNeighbours(layers, order, true)
  const below = sortedNeighbours(layers, order, false)
  const conflict = findConflicts(layers, order, above, position)
  const runs: Float64Array[] = []
  for (const down of [true, false]) {
    for (const leftwards of [true, false]) {
      const run = alignAndPress(
        layers,
        down ? order : [...order].reverse(),
        position,
        down ? above : below,
        conflict,
        sizes,
        down,
        leftwards,
      )
      runs.push(leftwards ? run : run.map((value) => -value))
    }
  }
  return middleOf(runs, sizes.width)
}

/** One of the four alignments: everything as far to one side as possible. The right side is the mirrored case. */
function alignAndPress(
  layers: Layers,
  order: readonly Int32Array[],
  position: Int32Array,
  neighbours: Neighbours,
  conflict: Uint8Array,
  sizes: Sizes,
  down: boolean,
  leftwards: boolean,
): Float64Array {
  const { count } = layers
  const sign = leftwards ? 1 : -1
  const [near, far] = down ? [sizes.inAt, sizes.outAt] : [sizes.outAt, sizes.inAt]
  const root = new Int32Array(count).map((_, vertex) => vertex)
  const last = root.slice()
  const shift = new Float64Array(count)
  for (const layer of order) {
    let limit = leftwards ? -1 : Infinity
    for (let i = 0; i < layer.length; i++) {
      const vertex = layer[leftwards ? i : layer.length - 1 - i]
      const start = neighbours.start[vertex]
      const degree = neighbours.start[vertex + 1] - start
      if (!degree) continue
      const medians = leftwards ? [(degree - 1) >> 1, degree >> 1] : [degree >> 1, (degree - 1) >> 1]
      for (const median of medians) {
        const other = neighbours.vertex[start + median]
        const free = leftwards ? position[other] > limit : position[other] < limit
        if (
          root[vertex] !== vertex ||
          !free ||
          conflict[neighbours.piece[start + median]] ||
          last[root[other]] !== other
        )
          continue
        root[vertex] = root[other]
        last[root[vertex]] = vertex
        shift[vertex] = shift[other] + sign * (far[other] - near[vertex])
        limit = position[other]
      }
    }
  }
  return pressBlocks(layers, order, root, shift, sizes.width, leftwards)
}

/**
 * Gives blocks the smallest positions that keep their distances, then moves each as close as possible to its right
 * neighbour.
 */
function pressBlocks(
  layers: Layers,
  order: readonly Int32Array[],
  root: Int32Array,
  shift: Float64Array,
  width: Float32Array,
  leftwards: boolean,
): Float64Array {
  const [from, to, length]: [number[], number[], number[]] = [[], [], []]
  const waiting = new Int32Array(layers.count)
  const heads = new Int32Array(layers.count).fill(-1)
  const next: number[] = []
  for (const layer of order) {
    for (let i = 0; i + 1 < layer.length; i++) {
      const [left, right] = leftwards
        ? [layer[i], layer[i + 1]]
        : [layer[layer.length - 1 - i], layer[layer.length - 2 - i]]
      const gap = left < layers.boxes && right < layers.boxes ? GAP.boxes : GAP.lines
      next.push(heads[root[left]])
      heads[root[left]] = from.length
      from.push(root[left])
      to.push(root[right])
      length.push((width[left] + width[right]) / 2 + gap + shift[left] - shift[right])
      waiting[root[right]]++
    }
  }
  const place = new Float64Array(layers.count)
  const sorted: number[] = []
  for (let vertex = 0; vertex < layers.count; vertex++)
    if (root[vertex] === vertex && !waiting[vertex]) sorted.push(vertex)
  for (let at = 0; at < sorted.length; at++) {
    for (let edge = heads[sorted[at]]; edge >= 0; edge = next[edge]) {
      place[to[edge]] = Math.max(place[to[edge]], place[from[edge]] + length[edge])
      if (--waiting[to[edge]] === 0) sorted.push(to[edge])
    }
  }
  for (let at = sorted.length - 1; at >= 0; at--) {
    let room = Infinity
    for (let edge = heads[sorted[at]]; edge >= 0; edge = next[edge])
      room = Math.min(room, place[to[edge]] - length[edge])
    if (room < Infinity) place[sorted[at]] = Math.max(place[sorted[at]], room)
  }
  return place.map((_, vertex) => place[root[vertex]] + shift[vertex])
}

/** The mean of the two middle positions of four, after aligning all four with the narrowest. */
function middleOf(runs: Float64Array[], width: Float32Array): Float64Array {
  const extent = runs.map((run) => {
    let [min, max] = [Infinity, -Infinity]
    run.forEach((place, vertex) => {
      min = Math.min(min, place - width[vertex] / 2)
      max = Math.max(max, place + width[vertex] / 2)
    })
    return { min, max }
  })
  const narrowest = extent.reduce((least, each) => (each.max - each.min < least.max - least.min ? each : least))
  runs.forEach((run, index) => {
    const move = index % 2 ? narrowest.max - extent[index].max : narrowest.min - extent[index].min
    for (let vertex = 0; vertex < run.length; vertex++) run[vertex] += move
  })
  const four = new Float64Array(4)
  return runs[0].map((_, vertex) => {
    for (let run = 0; run < 4; run++) four[run] = runs[run][vertex]
    four.sort()
    return (four[1] + four[2]) / 2
  })
}
