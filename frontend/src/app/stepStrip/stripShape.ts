/** The number of very many runs that reach each place of the step strip: an area instead of single lines. Pure. */

/** First and last step of a run. */
export interface Reach {
  first: number
  last: number
}

/** The share of the runs that cover each of the equal parts of a range, 0 to 1. */
export function coverage(runs: readonly Reach[], from: number, to: number, parts: number): Float64Array {
  const changes = new Float64Array(parts + 1)
  const partOf = (step: number): number =>
    Math.max(0, Math.min(parts - 1, Math.floor(((step - from) / Math.max(1, to - from)) * parts)))
  for (const { first, last } of runs) {
    changes[partOf(first)]++
    changes[partOf(last) + 1]--
  }
  const shares = new Float64Array(parts)
  let open = 0
  for (let part = 0; part < parts; part++) {
    open += changes[part]
    shares[part] = open / Math.max(1, runs.length)
  }
  return shares
}

/** The outline of an area over parts of equal width. A part with any run is at least one pixel high. */
export function areaPath(shares: Float64Array, left: number, width: number, foot: number, height: number): string {
  const each = width / Math.max(1, shares.length)
  let path = `M${left} ${foot}`
  shares.forEach((share, part) => {
    const y = foot - (share ? Math.max(1, share * height) : 0)
    path += `V${Number(y.toFixed(1))}H${Number((left + (part + 1) * each).toFixed(1))}`
  })
  return `${path}V${foot}Z`
}
