/** What the cards read out of columns of the lineage table: which rows count. Pure. */
import type { Better } from '../../../data/runs/runTable'
import type { Column, LineageTable } from '../table'

const PARAMS = 'params.'

/** The column of a parameter, which may be told by its own name. */
export function columnName(parameter: string): string {
  return parameter.startsWith(PARAMS) ? parameter : PARAMS + parameter
}

/** The number of a row; NaN where it has none. */
export function numberAt(column: Column, row: number): number {
  return column.kind === 'number' ? column.values[row] : NaN
}

/** Which values of a column are better; the larger ones where nobody knows. */
export function betterOf(column: Column): Exclude<Better, null> {
  return column.better ?? 'max'
}

/** The rows that have a finite value, the best first. */
export function bestRows(column: Column, rows: Iterable<number>): number[] {
  const sign = betterOf(column) === 'max' ? -1 : 1
  return [...rows]
    .filter((row) => Number.isFinite(numberAt(column, row)))
    .sort((a, b) => sign * (numberAt(column, a) - numberAt(column, b)) || a - b)
}

/** The columns that can be an axis: some run has them. */
export function axisColumns(table: LineageTable): Column[] {
  return [...table.columns.values()].filter(({ set }) => set > 0)
}
