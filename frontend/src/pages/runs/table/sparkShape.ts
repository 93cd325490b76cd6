/** The path of a small trend line, with gaps at values that are not finite, and a mark if it ends in one. */

export interface SparkShape {
  /** An SVG path, empty if no value is finite. */
  path: string
  /** Position of the last finite point. */
  end: { x: number; y: number } | null
  /** Whether the newest value is not finite. */
  broken: boolean
}

const EMPTY: SparkShape = { path: '', end: null, broken: false }

function finiteRange(values: Float64Array): [number, number] {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}

/** Values that span a larger factor are drawn on a logarithmic scale, so that a falling loss stays readable. */
const LOG_FROM = 20

function scaleOf(low: number, high: number): (value: number) => number {
  return low > 0 && high / low > LOG_FROM ? Math.log : (value) => value
}

/**
 * @param x steps in ascending order
 * @param y values of the same length
 * @param room pixels reserved at the right for the mark
 */
export function sparkShape(x: Float64Array, y: Float64Array, width: number, height: number, room = 5): SparkShape {
  const [low, high] = finiteRange(y)
  if (x.length === 0 || low > high) return { ...EMPTY, broken: y.length > 0 }
  const first = x[0]
  const span = x[x.length - 1] - first || 1
  const scaleX = (width - 1 - room) / span
  const scale = scaleOf(low, high)
  const bottom = scale(low)
  const scaleY = high === low ? 0 : (height - 4) / (scale(high) - bottom)
  const middle = high === low ? height / 2 : height - 2
  let path = ''
  let pen = false
  let end: SparkShape['end'] = null
  for (let index = 0; index < x.length; index++) {
    if (!Number.isFinite(y[index])) {
      pen = false
      continue
    }
    end = { x: 1 + (x[index] - first) * scaleX, y: middle - (scale(y[index]) - bottom) * scaleY }
    path += `${pen ? 'L' : 'M'}${end.x.toFixed(1)} ${end.y.toFixed(1)}`
    pen = true
  }
  return { path, end, broken: !Number.isFinite(y[y.length - 1]) }
}
