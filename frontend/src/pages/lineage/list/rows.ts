/** The rows of the table below the axes, and their order. Pure. */
import type { CellValue } from '../../../data/runs/runTable'
import type { ExportedTable } from '../../../components/controls/exportTable'
import { isSet, valueAt, type Column, type LineageTable } from '../table'

export type Listed = 'passing' | 'all' | 'selected'

/** The listed rows; hidden ones only if they are selected. */
export function listedRows(
  table: LineageTable,
  which: Listed,
  passing: Uint8Array,
  hidden: ReadonlySet<number>,
  selected: ReadonlySet<number>,
): Uint32Array {
  const rows = Uint32Array.from({ length: table.count }, (_, row) => row)
  if (which === 'passing') return rows.filter((row) => passing[row] === 1)
  if (which === 'all') return rows.filter((row) => !hidden.has(row))
  return rows.filter((row) => selected.has(table.runs[row]))
}

/** Numbers before texts, each sorted. */
function compareValues(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number') return -1
  return typeof b === 'number' ? 1 : String(a).localeCompare(String(b), undefined, { numeric: true })
}

/** Values that sort last in both directions: NaN, then unset. */
function lack(column: Column, row: number): number {
  if (!isSet(column, row)) return 2
  return column.kind === 'number' && Number.isNaN(column.values[row]) ? 1 : 0
}

/** The rows sorted by a column; equal ones keep their order. */
export function sortedRows(rows: Uint32Array, column: Column, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1
  const ranks = column.kind === 'category' ? ranksOf(column.values) : null
  return rows.slice().sort((a, b) => {
    const away = lack(column, a) - lack(column, b)
    if (away !== 0 || lack(column, a) > 0) return away || a - b
    const by =
      column.kind === 'number'
        ? column.values[a] - column.values[b]
        : ranks
          ? ranks[column.codes[a] - 1] - ranks[column.codes[b] - 1]
          : 0
    return by === 0 || Number.isNaN(by) ? a - b : sign * by
  })
}

function ranksOf(values: readonly CellValue[]): Uint32Array {
  const ranks = new Uint32Array(values.length)
  values
    .map((_, at) => at)
    .sort((a, b) => compareValues(values[a], values[b]))
    .forEach((value, rank) => (ranks[value] = rank))
  return ranks
}

/** The rows sorted by name. */
export function namedRows(rows: Uint32Array, nameOf: (row: number) => string, descending: boolean): Uint32Array {
  const names = new Map([...rows].map((row) => [row, nameOf(row)]))
  const sign = descending ? -1 : 1
  return rows
    .slice()
    .sort(
      (a, b) => sign * (names.get(a) ?? '').localeCompare(names.get(b) ?? '', undefined, { numeric: true }) || a - b,
    )
}

export interface ExportedMarks {
  name: string
  icon: string
  note: string
}

/** The listed rows in full, for a file; titles are the column names of the query language. */
export function exportedRows(
  rows: Uint32Array,
  columns: readonly Column[],
  marksOf: (row: number) => ExportedMarks,
): ExportedTable {
  return {
    titles: ['name', ...columns.map(({ name }) => name), 'icon', 'note'],
    rows: [...rows].map((row) => {
      const { name, icon, note } = marksOf(row)
      return [name, ...columns.map((column) => valueAt(column, row)), icon || null, note || null]
    }),
  }
}
