/** Histograms in wire format for tests, and views of them as the server encodes them. */
import { bands, histogramOf, moments, zeroBucket, type WireHistogram } from './drawing/histogram'
import { decodeView, type ViewFrame } from './drawing/frame'
import { cellsOf } from './drawing/scene'

export function wireHistogram(step: number, changes: Partial<WireHistogram> = {}): WireHistogram {
  return {
    step,
    wall_time: 1000 + step,
    left: [-1, 0, 1],
    width: [1, 1, 1],
    count: [10, 70, 20],
    min: -0.9,
    max: 1.9,
    sum: 20,
    nan_count: 0,
    pos_inf_count: 0,
    neg_inf_count: 0,
    error: null,
    ...changes,
  }
}

/** A view with a row for each histogram that can be read; `together` of them in a row. */
export function wireView(wire: readonly WireHistogram[], cells = 8, linearBelow = 0, together = 1): ArrayBuffer {
  const read = wire.filter((one) => one.error === null).map(histogramOf)
  const lows = read.flatMap(({ left }) => [...left])
  const highs = read.flatMap(({ left, width }) => [...left].map((low, at) => low + width[at]))
  const [low, high] = lows.length ? [Math.min(...lows), Math.max(...highs)] : [-1, 1]
  const rows = Array.from({ length: Math.ceil(read.length / together) }, (_, at) =>
    read.slice(at * together, (at + 1) * together),
  )
  const sum = (part: typeof read, pick: (one: (typeof read)[number]) => number): number =>
    part.reduce((total, one) => total + pick(one), 0)
  const table = rows.map((part) => {
    const last = part[part.length - 1]
    const { mean, std } = moments(last)
    const zero = zeroBucket(last)
    return [
      part[0].step,
      last.step,
      part.length,
      1000 + last.step,
      sum(part, (one) => one.finite),
      Math.min(...part.map((one) => one.min)),
      Math.max(...part.map((one) => one.max)),
      mean,
      std,
      ...bands(last),
      sum(part, (one) => one.nan),
      sum(part, (one) => one.posInf),
      sum(part, (one) => one.negInf),
      zero < 0 ? 0 : last.count[zero],
      zero < 0 ? 0 : last.width[zero],
      0,
    ]
  })
  const steps = read.map((one) => one.step)
  const columns = Array.from({ length: 20 }, (_, at) => table.map((row) => row[at])).flat()
  const flat = Float32Array.from(
    rows.flatMap((part) => {
      const all = new Float64Array(cells)
      for (const one of part)
        cellsOf(one, { low, high, linearBelow }, cells, -1).forEach((count, at) => (all[at] += count))
      return [...all]
    }),
  )
  const buffer = new ArrayBuffer(88 + 8 * (columns.length + steps.length) + 4 * flat.length)
  const view = new DataView(buffer)
  view.setUint8(0, 1)
  view.setUint8(1, 4)
  view.setBigUint64(24, BigInt(wire.length), true)
  ;[linearBelow, low, high].forEach((value, at) => view.setFloat64(40 + 8 * at, value, true))
  ;[rows.length, 20, cells, wire.length - read.length, steps.length, 0].forEach((value, at) =>
    view.setUint32(64 + 4 * at, value, true),
  )
  new Float64Array(buffer, 88, columns.length + steps.length).set([...columns, ...steps])
  new Float32Array(buffer, 88 + 8 * (columns.length + steps.length)).set(flat)
  return buffer
}

export const viewOf = (
  wire: readonly WireHistogram[],
  cells?: number,
  linearBelow?: number,
  together?: number,
): ViewFrame => decodeView(wireView(wire, cells, linearBelow, together))
