/**
 * Reduces a line to a given width and keeps all extremes: per pixel column the first, lowest, highest and last finite
 * point and the first one that is not finite, like the server's envelopes. Used for sparks.
 */

/**
 * Rows to keep, in order.
 * @param x ascending
 * @param width pixel columns
 */
export function thinOut(x: Float64Array, y: Float64Array, length: number, width: number): Float64Array {
  if (length <= 2 * width) return Float64Array.from({ length }, (_, row) => row)
  const kept: number[] = []
  const start = x[0]
  const perPixel = (x[length - 1] - start) / width || 1
  let from = 0
  while (from < length) {
    const column = Math.floor((x[from] - start) / perPixel)
    let to = from + 1
    while (to < length && Math.floor((x[to] - start) / perPixel) === column) to++
    kept.push(...ofColumn(y, from, to))
    from = to
  }
  return Float64Array.from(kept)
}

function ofColumn(y: Float64Array, from: number, to: number): number[] {
  let first = -1
  let last = -1
  let low = -1
  let high = -1
  let odd = -1
  for (let row = from; row < to; row++) {
    const value = y[row]
    if (!Number.isFinite(value)) {
      if (odd < 0) odd = row
      continue
    }
    if (first < 0) first = low = high = row
    if (value < y[low]) low = row
    if (value > y[high]) high = row
    last = row
  }
  return [...new Set([first, low, high, last, odd])].filter((row) => row >= 0).sort((a, b) => a - b)
}
