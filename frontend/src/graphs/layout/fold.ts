/**
 * Folds long and narrow drawings into adjacent columns, read from top to bottom and then to the right, so that a long
 * chain fits a screen. Cuts are only made where few edges pass. Called by layered.ts.
 */
import type { LayoutInput, LayoutOutput } from './types'

/** The target size of a drawing in CSS pixels, and the gain in zoom from which a fold is worthwhile. */
const ROOM = { width: 1100, height: 780 } as const
const WORTH = 1.4
/** Drawings with fewer ranks are never folded, and cuts have at most this many edges. */
const LEAST_RANKS = 12
const MOST_PASSING = 3
const MOST_COLUMNS = 96
/** Space between columns, above and below them, and between the lines there. */
const BETWEEN = 44
const OUTSIDE = 22
const LANE = 8

interface Column {
  /** First rank, and the one after the last. */
  from: number
  to: number
  left: number
  right: number
}

/** Ranks of a drawing: their positions and extents, and the number of edges from each to the next. */
export interface Ranks {
  top: Float64Array
  bottom: Float64Array
}

interface Extents extends Ranks {
  left: Float64Array
  right: Float64Array
  passing: Int32Array
}

/** The rank that contains or precedes a position. */
function rankAt(top: Float64Array, y: number): number {
  let [low, high] = [0, top.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (top[middle] <= y + 0.01) low = middle
    else high = middle - 1
  }
  return low
}

function measure(input: LayoutInput, { x, y, points, pointStart }: LayoutOutput, { top, bottom }: Ranks): Extents {
  const left = new Float64Array(top.length).fill(Infinity)
  const right = new Float64Array(top.length).fill(-Infinity)
  const passing = new Int32Array(top.length + 1)
  const reach = (rank: number, from: number, to: number): void => {
    left[rank] = Math.min(left[rank], from)
    right[rank] = Math.max(right[rank], to)
  }
  for (let box = 0; box < x.length; box++) reach(rankAt(top, y[box]), x[box], x[box] + input.width[box])
  for (let edge = 0; edge + 1 < pointStart.length; edge++) {
    let [first, last] = [Infinity, -1]
    for (let point = pointStart[edge]; point < pointStart[edge + 1]; point++) {
      const rank = rankAt(top, points[2 * point + 1])
      reach(rank, points[2 * point], points[2 * point])
      first = Math.min(first, rank)
      last = Math.max(last, rank)
    }
    if (last <= first) continue
    passing[first]++
    passing[last]--
  }
  for (let rank = 1; rank < passing.length; rank++) passing[rank] += passing[rank - 1]
  return { top, bottom, left, right, passing }
}

/** Columns of about equal heights; null if there is no place to cut near one of the ends. */
function columnsOf({ top, bottom, left, right, passing }: Extents, count: number): Column[] | null {
  const ranks = top.length
  const height = bottom[ranks - 1] / count
  const columns: Column[] = []
  let from = 0
  for (let column = 1; column <= count && from < ranks; column++) {
    let to = ranks
    if (column < count) {
      const wanted = top[from] + (bottom[ranks - 1] - top[from]) / (count - column + 1)
      let best = Infinity
      for (
        let rank = rankAt(top, wanted - height * 0.4);
        rank < ranks - 1 && bottom[rank] < wanted + height * 0.4;
        rank++
      ) {
        if (rank < from || passing[rank] > MOST_PASSING) continue
        const cost = Math.abs(bottom[rank] - wanted) / height + 0.12 * passing[rank]
        if (cost < best) [best, to] = [cost, rank + 1]
      }
      if (best === Infinity) return null
    }
    const own: Column = { from, to, left: Infinity, right: -Infinity }
    for (let rank = from; rank < to; rank++) {
      own.left = Math.min(own.left, left[rank])
      own.right = Math.max(own.right, right[rank])
    }
    columns.push(own)
    from = to
  }
  return columns
}

const sizeOf = (columns: readonly Column[], { top, bottom }: Ranks): { width: number; height: number } => ({
  width: columns.reduce((sum, { left, right }) => sum + right - left + BETWEEN, -BETWEEN),
  height: columns.reduce((most, { from, to }) => Math.max(most, bottom[to - 1] - top[from]), 0) + 2 * OUTSIDE,
})
const scaleOf = ({ width, height }: { width: number; height: number }): number =>
  Math.min(1, ROOM.width / width, ROOM.height / height)

/** The drawing in columns, or unchanged if it fits well enough or cannot be cut. */
export function foldLong(input: LayoutInput, output: LayoutOutput, ranks: Ranks): LayoutOutput {
  const before = scaleOf(output)
  if (ranks.top.length < LEAST_RANKS || before > 0.8 || output.height < output.width) return output
  const extents = measure(input, output, ranks)
  let [best, chosen]: [number, Column[] | null] = [before * WORTH, null]
  for (let count = 2; count <= Math.min(MOST_COLUMNS, ranks.top.length / 3); count++) {
    const columns = columnsOf(extents, count)
    const scale = columns ? scaleOf(sizeOf(columns, ranks)) : 0
    if (scale > best) [best, chosen] = [scale, columns]
  }
  return chosen ? place(input, output, ranks, chosen) : output
}

function place(input: LayoutInput, output: LayoutOutput, ranks: Ranks, columns: readonly Column[]): LayoutOutput {
  const { width, height } = sizeOf(columns, ranks)
  const columnOf = new Int32Array(ranks.top.length)
  const starts: number[] = []
  let right = 0
  columns.forEach((column, at) => {
    columnOf.fill(at, column.from, column.to)
    starts.push(right)
    right += column.right - column.left + BETWEEN
  })
  const at = (y: number): number => columnOf[rankAt(ranks.top, y)]
  const moveX = (column: number, x: number): number => x - columns[column].left + starts[column]
  const moveY = (column: number, y: number): number => y - ranks.top[columns[column].from] + OUTSIDE
  const x = output.x.slice()
  const y = output.y.slice()
  for (let box = 0; box < x.length; box++) {
    const column = at(output.y[box])
    x[box] = moveX(column, output.x[box])
    y[box] = moveY(column, output.y[box])
  }
  const lanes = new Int32Array(columns.length)
  /** From the end of a column across to the head of the next one. */
  const passOn = (column: number, from: number, to: number, add: (x: number, y: number) => void): void => {
    const lane = Math.min(lanes[column]++, MOST_PASSING) * LANE
    const low = moveY(column, ranks.bottom[columns[column].to - 1]) + OUTSIDE / 2 - LANE / 2 + lane / 2
    const between = starts[column + 1] - BETWEEN / 2 + lane - LANE
    const high = OUTSIDE / 2 - lane / 2
    add(moveX(column, from), low)
    add(between, low)
    add(between, high)
    add(moveX(column + 1, to), high)
  }
  const pointStart = new Uint32Array(output.pointStart.length)
  const all: number[] = []
  for (let edge = 0; edge + 1 < pointStart.length; edge++) {
    const own: [number, number][] = []
    const [from, to] = [output.pointStart[edge], output.pointStart[edge + 1]]
    const up = to > from && output.points[2 * from + 1] > output.points[2 * to - 1]
    // Downwards in any case: edges that go up are reversed again at the end.
    const order = Array.from({ length: to - from }, (_, index) => (up ? to - 1 - index : from + index))
    order.forEach((point, index) => {
      const [px, py] = [output.points[2 * point], output.points[2 * point + 1]]
      const column = at(py)
      if (index) {
        const last = order[index - 1]
        for (let passed = at(output.points[2 * last + 1]); passed < column; passed++) {
          passOn(passed, passed === at(output.points[2 * last + 1]) ? output.points[2 * last] : px, px, (ax, ay) =>
            own.push([ax, ay]),
          )
        }
      }
      own.push([moveX(column, px), moveY(column, py)])
    })
    if (up) own.reverse()
    // Outputs leave at the bottom of everything, however short the last column is.
    if (input.last >= 0 && input.target[edge] === input.last && own.length) own[own.length - 1][1] = height
    for (const [px, py] of own) all.push(px, py)
    pointStart[edge + 1] = all.length / 2
  }
  if (input.last >= 0) y[input.last] = height
  return { ...output, width, height, x, y, pointStart, points: Float32Array.from(all) }
}
