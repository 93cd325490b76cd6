/** The ranks as layers, long edges cut into pieces from one rank to the next. Called by layered.ts. */
import { groupEdges } from './adjacency'
import { MOST_PLACES } from './types'

/** Vertices are the boxes, followed by the places where long edges pass a rank. */
export interface Layers {
  boxes: number
  count: number
  rank: Int32Array
  ranks: number
  /** Pieces of edges: from a vertex to one of the next rank. */
  from: Int32Array
  to: Int32Array
  /** Places that edge e passes, from the top: `places[placeStart[e]]` to `places[placeStart[e + 1]]`. */
  placeStart: Int32Array
  places: Int32Array
}

/**
 * Divides edges that go down over more than one rank. If there are too many, the longest stay whole and have no pieces.
 */
export function cutEdges(rank: Int32Array, source: Int32Array, target: Int32Array): Layers {
  const boxes = rank.length
  const spans = source.map((from, edge) => rank[target[edge]] - rank[from])
  const longest = longestCut(spans)
  const placeStart = new Int32Array(source.length + 1)
  spans.forEach((span, edge) => {
    placeStart[edge + 1] = placeStart[edge] + (span <= longest ? Math.max(0, span - 1) : 0)
  })
  const total = placeStart[source.length]
  const places = new Int32Array(total).map((_, at) => boxes + at)
  const ranks = rank.reduce((most, value) => Math.max(most, value), 0) + 1
  const allRanks = new Int32Array(boxes + total)
  allRanks.set(rank)
  const from: number[] = []
  const to: number[] = []
  source.forEach((start, edge) => {
    if (spans[edge] > longest || spans[edge] < 1) return
    let before = start
    for (let at = placeStart[edge]; at < placeStart[edge + 1]; at++) {
      allRanks[places[at]] = allRanks[before] + 1
      from.push(before)
      to.push(places[at])
      before = places[at]
    }
    from.push(before)
    to.push(target[edge])
  })
  return {
    boxes,
    count: boxes + total,
    rank: allRanks,
    ranks,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    placeStart,
    places,
  }
}

/** The largest span for which all places together can be laid out. */
function longestCut(spans: Int32Array): number {
  const sorted = spans.slice().sort()
  let total = 0
  for (const span of sorted) {
    total += Math.max(0, span - 1)
    if (total > MOST_PLACES) return span - 1
  }
  return sorted[sorted.length - 1] ?? 1
}

/**
 * An initial order of the vertices of each rank, by a walk along the edges, so that related vertices are
 * together.
 */
export function firstOrder({ count, rank, ranks, from, to }: Layers): Int32Array[] {
  const out = groupEdges(count, from)
  const into = groupEdges(count, to)
  const layers: number[][] = Array.from({ length: ranks }, () => [])
  const seen = new Uint8Array(count)
  const stack: number[] = []
  const starts = Array.from({ length: count }, (_, vertex) => vertex).sort((a, b) => rank[a] - rank[b] || a - b)
  for (const start of starts) {
    if (seen[start] || into.start[start] !== into.start[start + 1]) continue
    stack.push(start)
    while (stack.length) {
      const vertex = stack.pop() as number
      if (seen[vertex]) continue
      seen[vertex] = 1
      layers[rank[vertex]].push(vertex)
      for (let i = out.start[vertex + 1] - 1; i >= out.start[vertex]; i--) stack.push(to[out.edge[i]])
    }
  }
  for (let vertex = 0; vertex < count; vertex++) if (!seen[vertex]) layers[rank[vertex]].push(vertex)
  return layers.map((layer) => Int32Array.from(layer))
}
