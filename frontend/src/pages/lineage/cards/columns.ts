/** What the cards read from columns of the lineage table: values, their better end, and the rows that count. Pure. */
import type { Better } from '../../../data/runs/runTable'
import { valueAt, type Column, type LineageTable } from '../table'

const PARAMS = 'params.'

/** The column of a parameter, which may be given by its bare name. */
export function columnName(parameter: string): string {
  return parameter.startsWith(PARAMS) ? parameter : PARAMS + parameter
}

/** The number of a row, or NaN. */
export function numberAt(column: Column, row: number): number {
  return column.kind === 'number' ? column.values[row] : NaN
}

/** Whether small or large values of a column are better; large ones if unknown. */
export function betterOf(column: Column): Exclude<Better, null> {
  return column.better ?? 'max'
}

/** The rows with a finite value, best first. */
export function bestRows(column: Column, rows: Iterable<number>): number[] {
  const sign = betterOf(column) === 'max' ? -1 : 1
  return [...rows]
    .filter((row) => Number.isFinite(numberAt(column, row)))
    .sort((a, b) => sign * (numberAt(column, a) - numberAt(column, b)) || a - b)
}

/** The columns that can be an axis: at least one run has them. */
export function axisColumns(table: LineageTable): Column[] {
  return [...table.columns.values()].filter(({ set }) => set > 0)
}

/**
 * The first columns that say something of their own about some rows: the values differ between the rows, or nothing
 * does, and no column before has the same ones.
 */
export function tellingColumns(columns: readonly Column[], rows: readonly number[], most: number): Column[] {
  const known = new Set<string>()
  const own = columns.filter((column) => {
    const values = JSON.stringify(rows.map((row) => valueAt(column, row)))
    return !known.has(values) && known.add(values)
  })
  const differing = own.filter((column) => new Set(rows.map((row) => valueAt(column, row))).size > 1)
  return (differing.length ? differing : own).slice(0, most)
}
