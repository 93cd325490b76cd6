/** Decodes the frames of `GET /api/distributions/view`: rows of steps, cells of values. Called by source.ts. */
import type { Interval } from './scale'

/** One step, or several neighbouring steps that were merged. */
export interface Row {
  first: number
  last: number
  /** The number of histograms. */
  items: number
  wall: number
  finite: number
  min: number
  max: number
  mean: number
  std: number
  /** 5th, 25th, 50th, 75th and 95th percentile. */
  bands: number[]
  nan: number
  posInf: number
  negInf: number
  /** Elements of the buckets that contain the number 0, and the widest of these buckets. */
  zero: number
  zeroWidth: number
  /** Of these, the ones that are in no cell: they are drawn by themselves. */
  spike: number
}

export interface ViewFrame {
  interval: Interval
  rows: Row[]
  cells: number
  /** Elements in each cell, row by row. */
  counts: Float32Array
  /** Every recorded step once; empty if they were not requested. */
  steps: Float64Array
  /** The number of histograms of the line, and the number of unreadable ones. */
  total: number
  unreadable: number
  /** Whether the interval is that of all cards, which a view keeps. */
  fixed?: boolean
}

const HEADER = 40
const ABOUT = 48
const KIND = 4
const COLUMNS = 20

/**
 * @throws RangeError for bytes that are no such frame
 */
export function decodeView(buffer: ArrayBuffer): ViewFrame {
  const view = new DataView(buffer)
  if (buffer.byteLength < HEADER + ABOUT || view.getUint8(0) !== 1 || view.getUint8(1) !== KIND)
    throw new RangeError('This is no view of histograms.')
  const number = (at: number): number => view.getFloat64(HEADER + at, true)
  const whole = (at: number): number => view.getUint32(HEADER + at, true)
  const [rows, columns, cells] = [whole(24), whole(28), whole(32)]
  if (columns < COLUMNS) throw new RangeError(`A view of histograms has ${COLUMNS} columns, this one ${columns}.`)
  const steps = whole(40)
  const table = new Float64Array(buffer, HEADER + ABOUT, rows * columns)
  const column = (at: number, row: number): number => table[at * rows + row]
  return {
    interval: { linearBelow: number(0), low: number(8), high: number(16) },
    cells,
    total: Number(view.getBigUint64(24, true)),
    unreadable: whole(36),
    steps: new Float64Array(buffer, HEADER + ABOUT + table.byteLength, steps),
    counts: new Float32Array(buffer, HEADER + ABOUT + table.byteLength + 8 * steps, rows * cells),
    rows: Array.from({ length: rows }, (_, row) => ({
      first: column(0, row),
      last: column(1, row),
      items: column(2, row),
      wall: column(3, row),
      finite: column(4, row),
      min: column(5, row),
      max: column(6, row),
      mean: column(7, row),
      std: column(8, row),
      bands: [9, 10, 11, 12, 13].map((at) => column(at, row)),
      nan: column(14, row),
      posInf: column(15, row),
      negInf: column(16, row),
      zero: column(17, row),
      zeroWidth: column(18, row),
      spike: column(19, row),
    })),
  }
}
