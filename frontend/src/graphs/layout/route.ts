/**
 * The lines of edges: down from a box, through the places of a long edge, into a box. Between two ranks a line is a
 * curve with vertical ends; inside a rank it goes straight down, so that it never crosses a box. Called by layered.ts.
 */
import { groupEdges } from './adjacency'
import type { Layers } from './layers'
import type { LayoutInput } from './types'

/** The positions of ranks and vertices. */
export interface Placed {
  layers: Layers
  /** Middles of vertices. */
  across: Float64Array
  /** Tops of boxes. */
  top: Float32Array
  rankTop: Float64Array
  rankBottom: Float64Array
}

const APART = 9

/** Spreads ends along a box: each as close to its other end as the box allows, in order, without overlap. */
export function spreadEnds(wanted: readonly number[], middle: number, reach: number): number[] {
  const places = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b] || a - b)
  const apart = wanted.length > 1 ? Math.min(APART, (2 * reach) / (wanted.length - 1)) : 0
  const ends = new Array<number>(wanted.length)
  let least = middle - reach
  for (const at of places) {
    ends[at] = Math.max(least, Math.min(middle + reach, wanted[at]))
    least = ends[at] + apart
  }
  let most = middle + reach
  for (const at of places.reverse()) {
    ends[at] = Math.min(ends[at], most)
    most = ends[at] - apart
  }
  return ends
}

/** Horizontal positions of both ends of every edge: first at the source boxes, then at the targets. */
export function findEnds(
  input: LayoutInput,
  source: Int32Array,
  target: Int32Array,
  { layers, across }: Placed,
): { leave: Float64Array; enter: Float64Array } {
  const leave = new Float64Array(source.length)
  const enter = new Float64Array(source.length)
  const first = (edge: number): number =>
    layers.placeStart[edge] < layers.placeStart[edge + 1] ? layers.places[layers.placeStart[edge]] : -1
  const last = (edge: number): number =>
    layers.placeStart[edge] < layers.placeStart[edge + 1] ? layers.places[layers.placeStart[edge + 1] - 1] : -1
  const put = (by: Int32Array, offset: Float32Array, into: Float64Array, lead: (edge: number) => number): void => {
    const groups = groupEdges(layers.boxes, by)
    for (let box = 0; box < layers.boxes; box++) {
      const edges = Array.from(groups.edge.subarray(groups.start[box], groups.start[box + 1]))
      spreadEnds(edges.map(lead), across[box] + offset[box], input.spread[box]).forEach(
        (end, at) => (into[edges[at]] = end),
      )
    }
  }
  put(source, input.outAt, leave, (edge) =>
    first(edge) >= 0 ? across[first(edge)] : across[target[edge]] + input.inAt[target[edge]],
  )
  put(target, input.inAt, enter, (edge) => (last(edge) >= 0 ? across[last(edge)] : leave[edge]))
  return { leave, enter }
}

/** Points of one edge from its upper to its lower end, as x, y, x, y. Collinear points are left out. */
export function traceEdge(
  edge: number,
  upper: number,
  lower: number,
  leave: number,
  enter: number,
  input: LayoutInput,
  placed: Placed,
): number[] {
  const { layers, across, top, rankTop, rankBottom } = placed
  const points: number[] = []
  const add = (x: number, y: number): void => {
    const end = points.length
    if (end >= 2 && points[end - 2] === x && points[end - 1] === y) return
    if (end >= 4 && points[end - 2] === x && points[end - 4] === x) points[end - 1] = y
    else points.push(x, y)
  }
  add(leave, top[upper] + input.height[upper])
  add(leave, rankBottom[layers.rank[upper]])
  for (let at = layers.placeStart[edge]; at < layers.placeStart[edge + 1]; at++) {
    const place = layers.places[at]
    add(across[place], rankTop[layers.rank[place]])
    add(across[place], rankBottom[layers.rank[place]])
  }
  add(enter, rankTop[layers.rank[lower]])
  add(enter, top[lower])
  return points
}
