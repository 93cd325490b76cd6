/** Neighbours of all vertices in two arrays. Used by every step of the layout. */

export interface Adjacency {
  /** Edges of vertex v: `edge[start[v]]` to `edge[start[v + 1]]`. */
  start: Int32Array
  edge: Int32Array
}

/** Groups edges by the vertex that they have in `at`, in their order; edges with `at` below 0 are left out. */
export function groupEdges(count: number, at: Int32Array): Adjacency {
  const start = new Int32Array(count + 1)
  for (const vertex of at) if (vertex >= 0) start[vertex + 1]++
  for (let vertex = 0; vertex < count; vertex++) start[vertex + 1] += start[vertex]
  const next = start.slice(0, count)
  const edge = new Int32Array(start[count])
  at.forEach((vertex, index) => {
    if (vertex >= 0) edge[next[vertex]++] = index
  })
  return { start, edge }
}
