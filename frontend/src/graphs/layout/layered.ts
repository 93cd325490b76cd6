/** A layered drawing of one connected graph, from top to bottom. Called by parts.ts. */
import { foldLong } from './fold'
import { cutEdges, firstOrder, type Layers } from './layers'
import { reduceCrossings } from './order'
import { placeAcross } from './place'
import { findFeedback, findRanks } from './ranks'
import { findEnds, traceEdge, type Placed } from './route'
import { GAP, LARGE, type LayoutInput, type LayoutOutput } from './types'

/**
 * Ranks lower than this have their boxes in the middle; in higher ones, opened boxes stand beside small ones, at the
 * top.
 */
const LOW_RANK = 90

/**
 * Lays out a graph whose boxes are all connected. Edges from a box to itself get no points.
 * @param input boxes and edges; not changed
 * @returns positions from (0, 0); edges go down except those that close a cycle
 */
export function layOutLayers(input: LayoutInput): LayoutOutput {
  const boxes = input.width.length
  const drawn = Array.from(input.source.keys()).filter((edge) => input.source[edge] !== input.target[edge])
  const feedbackOfAll = findFeedback(boxes, input.source, input.target, input.first)
  const upper = Int32Array.from(drawn, (edge) => (feedbackOfAll[edge] ? input.target[edge] : input.source[edge]))
  const lower = Int32Array.from(drawn, (edge) => (feedbackOfAll[edge] ? input.source[edge] : input.target[edge]))
  const rank = findRanks(boxes, upper, lower, input.first, input.last)
  const layers = cutEdges(rank, upper, lower)
  const large = layers.count > LARGE
  const sweeps = layers.count > 6 * LARGE ? 2 : large ? 4 : 12
  const order = reduceCrossings(layers, firstOrder(layers), sweeps, layers.count < 400)
  const grown = (values: Float32Array): Float32Array => {
    const all = new Float32Array(layers.count)
    all.set(values)
    return all
  }
  const across = placeAcross(layers, order, {
    width: grown(input.width),
    inAt: grown(input.inAt),
    outAt: grown(input.outAt),
  })
  const left = across.reduce(
    (least, place, vertex) => Math.min(least, place - (vertex < boxes ? input.width[vertex] / 2 : GAP.lines / 2)),
    Infinity,
  )
  for (let vertex = 0; vertex < across.length; vertex++) across[vertex] = Math.round(across[vertex] - left)
  const placed = placeDown(input, layers, across)
  return foldLong(input, write(input, drawn, feedbackOfAll, upper, lower, placed), {
    top: placed.rankTop,
    bottom: placed.rankBottom,
  })
}

/** Ranks from top to bottom, with more space between them if edges go far sideways. */
function placeDown(input: LayoutInput, layers: Layers, across: Float64Array): Placed {
  const height = new Float64Array(layers.ranks)
  for (let box = 0; box < layers.boxes; box++)
    height[layers.rank[box]] = Math.max(height[layers.rank[box]], input.height[box])
  const farthest = new Float64Array(layers.ranks)
  layers.from.forEach((from, piece) => {
    const to = layers.to[piece]
    farthest[layers.rank[from]] = Math.max(farthest[layers.rank[from]], Math.abs(across[from] - across[to]))
  })
  const rankTop = new Float64Array(layers.ranks)
  const rankBottom = new Float64Array(layers.ranks)
  for (let rank = 0, y = 0; rank < layers.ranks; rank++) {
    rankTop[rank] = y
    rankBottom[rank] = y + height[rank]
    y = rankBottom[rank] + GAP.ranks + Math.round(Math.min(40, farthest[rank] * 0.07))
  }
  const top = new Float32Array(layers.boxes)
  for (let box = 0; box < layers.boxes; box++) {
    const rank = layers.rank[box]
    top[box] = rankTop[rank] + (height[rank] < LOW_RANK ? Math.round((height[rank] - input.height[box]) / 2) : 0)
  }
  return { layers, across, top, rankTop, rankBottom }
}

function write(
  input: LayoutInput,
  drawn: readonly number[],
  feedback: Uint8Array,
  upper: Int32Array,
  lower: Int32Array,
  placed: Placed,
): LayoutOutput {
  const x = Float32Array.from(input.width, (width, box) => placed.across[box] - width / 2)
  const pointStart = new Uint32Array(input.source.length + 1)
  const all: number[] = []
  const { leave, enter } = findEnds(input, upper, lower, placed)
  let [at, right] = [0, 0]
  for (let edge = 0; edge < input.source.length; edge++) {
    if (drawn[at] === edge) {
      const points = traceEdge(at, upper[at], lower[at], leave[at], enter[at], input, placed)
      if (feedback[edge]) for (let end = points.length - 2; end >= 0; end -= 2) all.push(points[end], points[end + 1])
      else for (const value of points) all.push(value)
      at++
    }
    pointStart[edge + 1] = all.length / 2
  }
  for (let box = 0; box < x.length; box++) right = Math.max(right, x[box] + input.width[box])
  for (let point = 0; point < all.length; point += 2) right = Math.max(right, all[point] + GAP.lines / 2)
  return {
    width: right,
    height: placed.rankBottom[placed.rankBottom.length - 1] ?? 0,
    x,
    y: placed.top,
    pointStart,
    points: Float32Array.from(all),
    feedback: feedback.map((flag, edge) => (input.source[edge] === input.target[edge] ? 0 : flag)),
  }
}
