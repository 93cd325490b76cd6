/**
 * The decoded answer of `/api/lineage/table` (docs/reference/api.md): a JSON header followed by one typed array for
 * each column, used without copying. Called by useLineageTable.ts; every view of the page reads columns.
 */
import type { Better, CellValue } from '../../data/runs/runTable'

export type Group = 'params' | 'metrics' | 'scalars' | 'run'

interface ColumnFacts {
  /** The name in the query language: `params.learning_rate`, `last(loss)`, `duration`. */
  name: string
  group: Group
  /** Number of runs with a value. */
  set: number
  better: Better
}

export interface NumberColumn extends ColumnFacts {
  kind: 'number'
  /** NaN for runs without a value, and for runs whose value is NaN. */
  values: Float64Array
  /** 1 for runs without a value; null if all have one. */
  missing: Uint8Array | null
}

export type Codes = Uint8Array | Uint16Array | Uint32Array

export interface CategoryColumn extends ColumnFacts {
  kind: 'category'
  /** 0 for runs without a value, otherwise 1 + the index of the value in `values`. */
  codes: Codes
  values: readonly CellValue[]
}

export type Column = NumberColumn | CategoryColumn

export interface LineageTable {
  store: string
  /** Number of rows, which are the runs found. */
  count: number
  /** Number of archived runs. */
  of: number
  milliseconds: number
  /** The run numbers by row. */
  runs: Uint32Array
  /** All columns but the run numbers, in the order of the answer. */
  columns: ReadonlyMap<string, Column>
}

type Dtype = 'f64' | 'u8' | 'u16' | 'u32'
interface Place {
  dtype: Dtype
  offset: number
  count: number
}
interface WireColumn extends ColumnFacts {
  kind: 'number' | 'category'
  values?: CellValue[]
  array: Place
  missing?: Omit<Place, 'dtype'>
}
interface Header {
  store: string
  runs: number
  of: number
  milliseconds: number
  columns: WireColumn[]
}

/** The column of run numbers. */
const NUMBERS = 'number'
const LENGTH = 4
const ARRAYS = { f64: Float64Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array } as const

/** The answer does not follow the API description. */
export class TableError extends Error {}

function arrayAt(
  buffer: ArrayBuffer,
  behind: number,
  { dtype, offset, count }: Place,
  name: string,
): Float64Array | Codes {
  const kind = ARRAYS[dtype] as (typeof ARRAYS)[Dtype] | undefined
  const start = behind + offset
  if (!kind) throw new TableError(`The column ${name} has the unknown type ${String(dtype)}.`)
  if (start % kind.BYTES_PER_ELEMENT !== 0 || start + count * kind.BYTES_PER_ELEMENT > buffer.byteLength) {
    throw new TableError(
      `The column ${name} should begin at byte ${start} with ${count} values, in ${buffer.byteLength} bytes.`,
    )
  }
  return new kind(buffer, start, count)
}

/** Placeholders for numbers that JSON cannot express occur only in numeric columns; categories are unchanged. */
function columnOf(buffer: ArrayBuffer, behind: number, wire: WireColumn): Column {
  const { name, group, set, better } = wire
  const array = arrayAt(buffer, behind, wire.array, name)
  if (wire.kind === 'category') {
    if (array instanceof Float64Array) throw new TableError(`The codes of ${name} are no whole numbers.`)
    return { kind: 'category', name, group, set, better, codes: array, values: wire.values ?? [] }
  }
  const values = array instanceof Float64Array ? array : Float64Array.from(array)
  const missing = wire.missing ? (arrayAt(buffer, behind, { dtype: 'u8', ...wire.missing }, name) as Uint8Array) : null
  return { kind: 'number', name, group, set, better, values, missing }
}

/**
 * Decodes an answer.
 * @throws TableError if it is truncated or contradicts itself
 */
export function decodeTable(buffer: ArrayBuffer): LineageTable {
  if (buffer.byteLength < LENGTH) throw new TableError(`The table is cut short: ${buffer.byteLength} bytes.`)
  const length = new DataView(buffer).getUint32(0, true)
  const behind = LENGTH + length
  if (behind > buffer.byteLength)
    throw new TableError(`The table's header should have ${length} of ${buffer.byteLength} bytes.`)
  let header: Header
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, LENGTH, length))) as Header
  } catch {
    throw new TableError("The table's header is no JSON.")
  }
  const columns = new Map<string, Column>()
  let runs = new Uint32Array(0)
  for (const wire of header.columns) {
    if (wire.group === 'run' && wire.name === NUMBERS)
      runs = Uint32Array.from(arrayAt(buffer, behind, wire.array, wire.name))
    else columns.set(wire.name, columnOf(buffer, behind, wire))
  }
  if (runs.length !== header.runs) throw new TableError(`The table has ${header.runs} runs and ${runs.length} numbers.`)
  return { store: header.store, count: header.runs, of: header.of, milliseconds: header.milliseconds, runs, columns }
}

/** Whether a run has a value in a column. */
export function isSet(column: Column, row: number): boolean {
  return column.kind === 'number' ? column.missing?.[row] !== 1 : column.codes[row] > 0
}

/** The value of a run, or null. */
export function valueAt(column: Column, row: number): CellValue {
  if (!isSet(column, row)) return null
  return column.kind === 'number' ? column.values[row] : column.values[column.codes[row] - 1]
}
