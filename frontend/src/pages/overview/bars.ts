/** The outline of a histogram for a small picture. Pure; see HistogramsTile.vue. */

export interface Bars {
  /** An area as an SVG path in a box of the given size. */
  path: string
  low: number
  high: number
}

/**
 * Distributes buckets of any width over columns, in proportion to the overlap. A bucket of width 0 counts in its own
 * column.
 */
export function barsOf(
  left: readonly number[],
  width: readonly number[],
  count: readonly number[],
  columns: number,
  box: { width: number; height: number },
): Bars | null {
  const used = left.map((_, at) => at).filter((at) => count[at] > 0)
  if (!used.length) return null
  const low = left[used[0]]
  const last = used[used.length - 1]
  const high = left[last] + width[last]
  const span = high - low || 1
  const sums = new Float64Array(columns)
  for (const at of used) {
    const from = ((left[at] - low) / span) * columns
    const to = ((left[at] + width[at] - low) / span) * columns
    if (to - from < 1e-9) {
      sums[Math.min(columns - 1, Math.max(0, Math.floor(from)))] += count[at]
      continue
    }
    for (let column = Math.floor(from); column < Math.min(columns, Math.ceil(to)); column++) {
      const part = Math.min(to, column + 1) - Math.max(from, column)
      if (column >= 0) sums[column] += (count[at] * part) / (to - from)
    }
  }
  const most = sums.reduce((a, b) => Math.max(a, b), 0)
  const step = box.width / columns
  const round = (value: number): number => Math.round(value * 10) / 10
  const tops = [...sums].map((sum, at) => `V${round(box.height - (sum / most) * box.height)}H${round((at + 1) * step)}`)
  return { path: `M0 ${box.height}${tops.join('')}V${box.height}Z`, low, high }
}
