/**
 * Orders the vertices of each rank so that few edges cross: barycentre sweeps, then exchanges of neighbours. Called by
 * layered.ts.
 */
import { groupEdges, type Adjacency } from './adjacency'
import type { Layers } from './layers'

/** Positions within the ranks by vertex. */
export function positionsOf(count: number, order: readonly Int32Array[]): Int32Array {
  const position = new Int32Array(count)
  for (const layer of order) layer.forEach((vertex, at) => (position[vertex] = at))
  return position
}

/** Counts crossings of all pieces, with a tree of sums: n log n. */
export function countCrossings(layers: Layers, order: readonly Int32Array[]): number {
  const out = groupEdges(layers.count, layers.from)
  const position = positionsOf(layers.count, order)
  let crossings = 0
  for (let rank = 0; rank + 1 < order.length; rank++) {
    let leaf = 1
    while (leaf < order[rank + 1].length) leaf *= 2
    const tree = new Int32Array(2 * leaf)
    for (const vertex of order[rank]) {
      const ends: number[] = []
      for (let i = out.start[vertex]; i < out.start[vertex + 1]; i++) ends.push(position[layers.to[out.edge[i]]])
      ends.sort((a, b) => a - b)
      for (const end of ends) crossings += sumBehind(tree, leaf + end)
      for (const end of ends) for (let at = leaf + end; at; at >>= 1) tree[at]++
    }
  }
  return crossings
}

function sumBehind(tree: Int32Array, at: number): number {
  let sum = 0
  for (; at > 1; at >>= 1) if (!(at & 1)) sum += tree[at + 1]
  return sum
}

/**
 * Sweeps down and up and keeps the best order.
 * @param sweeps number of sweeps, downwards and upwards together
 * @param exchange whether neighbours are also exchanged at the end, which is worthwhile for small graphs
 */
export function reduceCrossings(layers: Layers, first: Int32Array[], sweeps: number, exchange: boolean): Int32Array[] {
  const into = groupEdges(layers.count, layers.to)
  const out = groupEdges(layers.count, layers.from)
  let best: Int32Array[] = first.map((layer) => layer.slice())
  let fewest = countCrossings(layers, first)
  const order: Int32Array[] = first.map((layer) => layer.slice())
  for (let sweep = 0; sweep < sweeps && fewest; sweep++) {
    const position = positionsOf(layers.count, order)
    if (sweep % 2)
      for (let rank = order.length - 2; rank >= 0; rank--)
        sortLayer(order[rank], position, out, layers.to, order[rank + 1].length)
    else
      for (let rank = 1; rank < order.length; rank++)
        sortLayer(order[rank], position, into, layers.from, order[rank - 1].length)
    const crossings = countCrossings(layers, order)
    if (crossings < fewest) {
      fewest = crossings
      best = order.map((layer) => layer.slice())
    }
  }
  if (exchange && fewest) exchangeNeighbours(layers, best, positionsOf(layers.count, best), into, out)
  return best
}

/**
 * Sorts a rank by the mean position of the neighbours in the adjacent rank. Vertices without any stay about where they
 * are.
 */
function sortLayer(
  layer: Int32Array,
  position: Int32Array,
  neighbours: Adjacency,
  other: Int32Array,
  length: number,
): void {
  const middle = new Float64Array(layer.length)
  layer.forEach((vertex, at) => {
    const [start, end] = [neighbours.start[vertex], neighbours.start[vertex + 1]]
    let sum = 0
    for (let i = start; i < end; i++) sum += position[other[neighbours.edge[i]]]
    middle[at] = end > start ? sum / (end - start) : (at * Math.max(1, length - 1)) / Math.max(1, layer.length - 1)
  })
  const places = Array.from(layer.keys()).sort((a, b) => middle[a] - middle[b] || a - b)
  const sorted = places.map((at) => layer[at])
  sorted.forEach((vertex, at) => {
    layer[at] = vertex
    position[vertex] = at
  })
}

/** Exchanges neighbours in a rank while that removes crossings. */
function exchangeNeighbours(
  layers: Layers,
  order: Int32Array[],
  position: Int32Array,
  into: Adjacency,
  out: Adjacency,
): void {
  const crossed = (left: number, right: number): number =>
    crossingsOf(left, right, into, layers.from, position) + crossingsOf(left, right, out, layers.to, position)
  for (let round = 0, better = true; better && round < 4; round++) {
    better = false
    for (const layer of order) {
      for (let at = 0; at + 1 < layer.length; at++) {
        const [left, right] = [layer[at], layer[at + 1]]
        if (crossed(left, right) <= crossed(right, left)) continue
        better = true
        layer[at] = right
        layer[at + 1] = left
        position[right] = at
        position[left] = at + 1
      }
    }
  }
}

function crossingsOf(
  left: number,
  right: number,
  neighbours: Adjacency,
  other: Int32Array,
  position: Int32Array,
): number {
  let count = 0
  for (let i = neighbours.start[left]; i < neighbours.start[left + 1]; i++) {
    const place = position[other[neighbours.edge[i]]]
    for (let j = neighbours.start[right]; j < neighbours.start[right + 1]; j++)
      if (position[other[neighbours.edge[j]]] < place) count++
  }
  return count
}
