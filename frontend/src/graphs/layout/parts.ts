/**
 * Lays out a graph: each connected part separately, then side by side. Our own layered layout, because elkjs was
 * measured too slow for the graph page (500 boxes in 0.49 s in a worker, 1,500 in 1.1 s). Called by the worker, and by
 * tests.
 */
import { layOutLayers } from './layered'
import { GAP, type LayoutInput, type LayoutOutput } from './types'

/** Boxes of each connected part, in order of their least index. */
function findParts(count: number, source: Int32Array, target: Int32Array, first: number, last: number): Int32Array[] {
  const head = new Int32Array(count).map((_, box) => box)
  const find = (box: number): number => {
    while (head[box] !== box) box = head[box] = head[head[box]]
    return box
  }
  const join = (one: number, other: number): void => {
    const [a, b] = [find(one), find(other)]
    head[Math.max(a, b)] = Math.min(a, b)
  }
  source.forEach((from, edge) => join(from, target[edge]))
  if (first >= 0 && last >= 0) join(first, last)
  const parts = new Map<number, number[]>()
  for (let box = 0; box < count; box++) {
    const members = parts.get(find(box))
    if (members) members.push(box)
    else parts.set(box, [box])
  }
  return [...parts.values()].map((members) => Int32Array.from(members))
}

/** The part of the input with some boxes and their edges. */
function takePart(input: LayoutInput, members: Int32Array, edges: Int32Array, place: Int32Array): LayoutInput {
  const pick = (values: Float32Array): Float32Array => Float32Array.from(members, (box) => values[box])
  return {
    width: pick(input.width),
    height: pick(input.height),
    inAt: pick(input.inAt),
    outAt: pick(input.outAt),
    spread: pick(input.spread),
    source: Int32Array.from(edges, (edge) => place[input.source[edge]]),
    target: Int32Array.from(edges, (edge) => place[input.target[edge]]),
    first: members.indexOf(input.first) < 0 ? -1 : place[input.first],
    last: members.indexOf(input.last) < 0 ? -1 : place[input.last],
  }
}

/**
 * Lays out boxes and edges. The same input gives the same output.
 * @param input not changed
 */
export function layOut(input: LayoutInput): LayoutOutput {
  const count = input.width.length
  const parts = findParts(count, input.source, input.target, input.first, input.last)
  if (parts.length === 1) return layOutLayers(input)
  const place = new Int32Array(count)
  const partOf = new Int32Array(count)
  parts.forEach((members, part) =>
    members.forEach((box, at) => {
      place[box] = at
      partOf[box] = part
    }),
  )
  const edgesOf: number[][] = parts.map(() => [])
  input.source.forEach((from, edge) => edgesOf[partOf[from]].push(edge))
  const drawings = parts.map((members, part) =>
    layOutLayers(takePart(input, members, Int32Array.from(edgesOf[part]), place)),
  )
  return joinParts(input, parts, edgesOf, drawings)
}

/** Positions of the parts: in rows, the largest first, about as wide as high. */
export function shelve(sizes: readonly { width: number; height: number }[]): {
  width: number
  height: number
  at: { x: number; y: number }[]
} {
  const area = sizes.reduce((sum, { width, height }) => sum + (width + GAP.parts) * (height + GAP.parts), 0)
  const widest = sizes.reduce((most, { width }) => Math.max(most, width), 0)
  const limit = Math.max(widest, Math.sqrt(area * 2.5))
  const order = sizes.map((_, part) => part).sort((a, b) => sizes[b].height - sizes[a].height || a - b)
  const at = sizes.map(() => ({ x: 0, y: 0 }))
  let [x, y, row, right] = [0, 0, 0, 0]
  for (const part of order) {
    if (x && x + sizes[part].width > limit) {
      y += row + GAP.parts
      x = row = 0
    }
    at[part] = { x, y }
    row = Math.max(row, sizes[part].height)
    right = Math.max(right, x + sizes[part].width)
    x += sizes[part].width + GAP.parts
  }
  return { width: right, height: y + row, at }
}

function joinParts(
  input: LayoutInput,
  parts: readonly Int32Array[],
  edgesOf: readonly number[][],
  drawings: readonly LayoutOutput[],
): LayoutOutput {
  const { at, width, height } = shelve(drawings)
  const x = new Float32Array(input.width.length)
  const y = new Float32Array(input.width.length)
  const feedback = new Uint8Array(input.source.length)
  const pointStart = new Uint32Array(input.source.length + 1)
  parts.forEach((members, part) => {
    members.forEach((box, index) => {
      x[box] = drawings[part].x[index] + at[part].x
      y[box] = drawings[part].y[index] + at[part].y
    })
    edgesOf[part].forEach((edge, index) => {
      feedback[edge] = drawings[part].feedback[index]
      pointStart[edge + 1] = drawings[part].pointStart[index + 1] - drawings[part].pointStart[index]
    })
  })
  for (let edge = 0; edge < input.source.length; edge++) pointStart[edge + 1] += pointStart[edge]
  const points = new Float32Array(2 * pointStart[input.source.length])
  parts.forEach((_, part) =>
    edgesOf[part].forEach((edge, index) => {
      const { points: from, pointStart: starts } = drawings[part]
      for (let point = starts[index], to = pointStart[edge]; point < starts[index + 1]; point++, to++) {
        points[2 * to] = from[2 * point] + at[part].x
        points[2 * to + 1] = from[2 * point + 1] + at[part].y
      }
    }),
  )
  return { width, height, x, y, pointStart, points, feedback }
}
