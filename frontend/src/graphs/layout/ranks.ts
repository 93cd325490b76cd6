/** Finds edges that close cycles, and the rank of each box. Called by layered.ts. */
import { groupEdges } from './adjacency'

/**
 * Finds edges that close a cycle, by a depth-first search that starts at sources. The order of boxes is nearly always
 * that of the computation, so the search follows it.
 * @param first the box at which the search begins, or -1
 * @returns 1 for edges that must be reversed; edges from a box to itself are ignored
 */
export function findFeedback(count: number, source: Int32Array, target: Int32Array, first = -1): Uint8Array {
  const out = groupEdges(count, source)
  const incoming = new Int32Array(count)
  target.forEach((to, edge) => {
    if (source[edge] !== to) incoming[to]++
  })
  const feedback = new Uint8Array(source.length)
  const state = new Uint8Array(count)
  const at = out.start.slice()
  const stack = new Int32Array(count)
  const walk = (from: number): void => {
    if (state[from]) return
    let depth = 0
    stack[0] = from
    state[from] = 1
    while (depth >= 0) {
      const vertex = stack[depth]
      if (at[vertex] === out.start[vertex + 1]) {
        state[vertex] = 2
        depth--
        continue
      }
      const edge = out.edge[at[vertex]++]
      const next = target[edge]
      if (state[next] === 1) feedback[edge] = 1
      else if (state[next] === 0) {
        state[next] = 1
        stack[++depth] = next
      }
    }
  }
  if (first >= 0) walk(first)
  for (let vertex = 0; vertex < count; vertex++) if (!incoming[vertex]) walk(vertex)
  for (let vertex = 0; vertex < count; vertex++) walk(vertex)
  return feedback
}

/** An order in which every edge goes forward. There must be no cycles. */
function topological(count: number, source: Int32Array, target: Int32Array): Int32Array {
  const out = groupEdges(count, source)
  const waiting = new Int32Array(count)
  for (const to of target) waiting[to]++
  const order = new Int32Array(count)
  let end = 0
  for (let vertex = 0; vertex < count; vertex++) if (!waiting[vertex]) order[end++] = vertex
  for (let at = 0; at < end; at++) {
    const vertex = order[at]
    for (let i = out.start[vertex]; i < out.start[vertex + 1]; i++) {
      const to = target[out.edge[i]]
      if (--waiting[to] === 0) order[end++] = to
    }
  }
  return order
}

type Grouped = ReturnType<typeof groupEdges>

/** The connected vertices, in an order in which sources come before targets. */
interface Connections {
  order: ReturnType<typeof topological>
  source: Int32Array
  target: Int32Array
  into: Grouped
  out: Grouped
}

const degree = (of: Grouped, vertex: number): number => of.start[vertex + 1] - of.start[vertex]

/** The rank of each vertex: its longest path from a source. */
function longestPaths(count: number, { order, source, into }: Connections, first: number): Int32Array {
  const rank = new Int32Array(count).fill(first < 0 ? 0 : 1)
  if (first >= 0) rank[first] = 0
  for (const vertex of order) {
    for (let i = into.start[vertex]; i < into.start[vertex + 1]; i++)
      rank[vertex] = Math.max(rank[vertex], rank[source[into.edge[i]]] + 1)
  }
  return rank
}

/** Moves boxes with more outgoing than incoming edges down, towards their targets. */
function moveDown(
  rank: Int32Array,
  { order, target, into, out }: Connections,
  isFixed: (one: number) => boolean,
): void {
  for (let at = rank.length - 1; at >= 0; at--) {
    const vertex = order[at]
    if (isFixed(vertex) || !degree(out, vertex)) continue
    let below = Infinity
    for (let i = out.start[vertex]; i < out.start[vertex + 1]; i++) below = Math.min(below, rank[target[out.edge[i]]])
    if (degree(out, vertex) > degree(into, vertex)) rank[vertex] = Math.max(rank[vertex], below - 1)
  }
}

/** Moves the other boxes up, towards their sources. */
function moveUp(
  rank: Int32Array,
  { order, source, into, out }: Connections,
  isFixed: (one: number) => boolean,
  top: number,
): void {
  for (const vertex of order) {
    if (isFixed(vertex) || !degree(into, vertex)) continue
    let above = top
    for (let i = into.start[vertex]; i < into.start[vertex + 1]; i++)
      above = Math.max(above, rank[source[into.edge[i]]])
    if (degree(into, vertex) >= degree(out, vertex)) rank[vertex] = Math.min(rank[vertex], above + 1)
  }
}

/**
 * Ranks by longest paths, then moves boxes towards where most of their edges go, which shortens the edges.
 * @param first a box that stands above all others, or -1
 * @param last a box that stands below all others, or -1
 */
export function findRanks(
  count: number,
  source: Int32Array,
  target: Int32Array,
  first: number,
  last: number,
): Int32Array {
  const connections: Connections = {
    order: topological(count, source, target),
    source,
    target,
    into: groupEdges(count, target),
    out: groupEdges(count, source),
  }
  const rank = longestPaths(count, connections, first)
  let deepest = 0
  for (let vertex = 0; vertex < count; vertex++) if (vertex !== last) deepest = Math.max(deepest, rank[vertex])
  if (last >= 0) rank[last] = deepest + 1
  const isFixed = (vertex: number): boolean => vertex === first || vertex === last
  for (let pass = 0; pass < 3; pass++) {
    moveDown(rank, connections, isFixed)
    moveUp(rank, connections, isFixed, first < 0 ? -1 : 0)
  }
  return pressed(rank)
}

/** The same ranks without empty ones. */
function pressed(rank: Int32Array): Int32Array {
  const used = [...new Set(rank)].sort((a, b) => a - b)
  const place = new Map(used.map((value, at) => [value, at]))
  return rank.map((value) => place.get(value) ?? 0)
}
