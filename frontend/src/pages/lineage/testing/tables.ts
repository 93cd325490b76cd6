/** Tables for tests, encoded like the server's answer: a JSON header padded to eight bytes, then the arrays. */
import type { Better, CellValue } from '../../../data/runs/runTable'
import { decodeTable, type Group, type LineageTable } from '../table'

export interface TestColumn {
  name: string
  group: Group
  better?: Better
  /** By row; null means unset. If all values are numbers, the column is numeric. */
  values: readonly CellValue[]
}

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8

/** An answer of `/api/lineage/table` with runs 1, 2, 3 ... as rows. */
export function encodeTable(runs: number, columns: readonly TestColumn[]): ArrayBuffer {
  const arrays: Uint8Array[] = []
  let offset = 0
  function put(array: Float64Array | Uint8Array | Uint32Array): { offset: number; count: number } {
    const place = { offset, count: array.length }
    const bytes = new Uint8Array(padded(array.byteLength))
    bytes.set(new Uint8Array(array.buffer))
    arrays.push(bytes)
    offset += bytes.length
    return place
  }
  const numbers = {
    name: 'number',
    group: 'run',
    kind: 'number',
    set: runs,
    better: null,
    array: { dtype: 'u32', ...put(Uint32Array.from({ length: runs }, (_, row) => row + 1)) },
  }
  const wires = columns.map(({ name, group, better = null, values }) => {
    const some = values.filter((value) => value !== null)
    const facts = { name, group, better, set: some.length }
    if (some.every((value) => typeof value === 'number')) {
      const array = {
        dtype: 'f64',
        ...put(Float64Array.from(values, (value) => (value === null ? NaN : Number(value)))),
      }
      const missing =
        some.length < runs ? { missing: put(Uint8Array.from(values, (value) => Number(value === null))) } : {}
      return { ...facts, kind: 'number', array, ...missing }
    }
    const known: CellValue[] = [...new Set(some)]
    return {
      ...facts,
      kind: 'category',
      values: known,
      array: { dtype: 'u8', ...put(Uint8Array.from(values, (value) => known.indexOf(value) + 1)) },
    }
  })
  const text = new TextEncoder().encode(
    JSON.stringify({ store: 's1', runs, of: runs, milliseconds: 2, columns: [numbers, ...wires] }),
  )
  const head = padded(4 + text.length)
  const whole = new Uint8Array(head + offset).fill(32, 0, head)
  new DataView(whole.buffer).setUint32(0, head - 4, true)
  whole.set(text, 4)
  let at = head
  for (const bytes of arrays) {
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole.buffer
}

export function tableOf(runs: number, columns: readonly TestColumn[]): LineageTable {
  return decodeTable(encodeTable(runs, columns))
}
