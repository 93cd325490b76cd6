/** The axes of the plot and their scales: from the address, or the standard choice if the address names none. */
import type { QueryParam } from '../../scaffold/viewState'
import { takenApart, together } from './lists'
import type { CategoryColumn, Column, LineageTable, NumberColumn } from './table'

export const AXIS_SCALES = ['linear', 'log', 'category'] as const
export type AxisScale = (typeof AXIS_SCALES)[number]

export interface Axis {
  /** Name of its column. */
  name: string
  scale: AxisScale
  inverted: boolean
}

/** Number of axes in the standard choice: parameters, and results besides the target. */
const STANDARD_PARAMS = 6
const STANDARD_RESULTS = 1
/** A text column with more values identifies single runs, not groups. */
const MOST_VALUES = 24
/** With this few runs each may be a group. */
const FEW_RUNS = 3
/** Up to this many distinct numbers each gets a tick. */
export const FEW_NUMBERS = 7
/** Numbers whose ratio is smaller do not need a logarithmic scale. */
const LOG_RATIO = 30

const LETTERS: Record<AxisScale, string> = { linear: 'n', log: 'l', category: 'c' }

/**
 * `axes=n:params.dropout~-l:loss`: a letter for the scale, a minus if the axis is inverted; null is the standard
 * choice.
 */
export const axesParam: QueryParam<readonly Axis[] | null> = {
  default: null,
  parse(text) {
    const axes = takenApart(text, '~').flatMap((part): Axis[] => {
      const found = /^(-?)([nlc]):(.+)$/s.exec(part)
      const scale = AXIS_SCALES.find((one) => LETTERS[one] === found?.[2])
      return found && scale ? [{ name: found[3], scale, inverted: found[1] === '-' }] : []
    })
    return axes.length ? axes.filter(({ name }, at) => axes.findIndex((one) => one.name === name) === at) : undefined
  },
  format: (axes) =>
    axes &&
    together(
      axes.map(({ name, scale, inverted }) => `${inverted ? '-' : ''}${LETTERS[scale]}:${name}`),
      '~',
    ),
  say: (axes) => (t) => (axes ? t('lineage.edit.axes', { n: axes.length }) : t('lineage.edit.standardAxes')),
}

/** Distinct finite numbers in order. Stops at `most` + 1 of them: callers only need to know that there are more. */
export function fewNumbers(column: NumberColumn, most: number): number[] {
  const found = new Set<number>()
  for (const value of column.values) {
    if (Number.isFinite(value)) found.add(value)
    if (found.size > most) break
  }
  return [...found].sort((a, b) => a - b)
}

/** The smallest distance of two neighbours as a share of the axis. */
function closest(places: readonly number[]): number {
  const span = places[places.length - 1] - places[0]
  return Math.min(...places.slice(1).map((place, at) => (place - places[at]) / span))
}

/** The scale that separates the values of a column best. */
export function goodScale(column: Column): AxisScale {
  if (column.kind === 'category') return 'category'
  const few = fewNumbers(column, FEW_NUMBERS)
  if (few.length < 2 || few[0] <= 0) return 'linear'
  if (few.length <= FEW_NUMBERS) return closest(few.map(Math.log)) > closest(few) + 0.02 ? 'log' : 'linear'
  const sorted = column.values.filter(Number.isFinite).sort()
  const [low, middle, high] = [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]]
  if (low <= 0 || high < low * LOG_RATIO) return 'linear'
  // If the median is nearer to the middle, both halves have room.
  const linear = Math.abs((middle - low) / (high - low) - 0.5)
  const log = Math.abs(Math.log(middle / low) / Math.log(high / low) - 0.5)
  return log < linear ? 'log' : 'linear'
}

/** Whether lower numbers are better; then the axis is inverted, so that good ends are at the top. */
export const goodAxis = (column: Column): Axis => ({
  name: column.name,
  scale: goodScale(column),
  inverted: column.better === 'min',
})

function numbersDiffer({ values, missing }: NumberColumn): boolean {
  const first = values.findIndex((value, row) => missing?.[row] !== 1 && !Number.isNaN(value))
  return first >= 0 && values.some((value) => !Number.isNaN(value) && value !== values[first])
}

/** Whether the runs that have the column have different values. */
export function differs(column: Column): boolean {
  return column.kind === 'number' ? numbersDiffer(column) : column.values.length > 1
}

/** Whether a text column groups runs; a different name for each run does not. */
function tellsGroups({ values, set }: CategoryColumn): boolean {
  return values.length <= MOST_VALUES && (values.length < set || set <= FEW_RUNS)
}

/** Whether two columns have the same value in every run, as `lr` and `learning_rate` often do. */
function saysTheSame(one: Column, other: Column): boolean {
  if (one.kind === 'number')
    return other.kind === 'number' && one.values.every((value, row) => Object.is(value, other.values[row]))
  return (
    other.kind === 'category' &&
    one.codes.every((code, row) => one.values[code - 1] === other.values[other.codes[row] - 1])
  )
}

/** The columns that can be the target: numeric results, the likeliest first. */
export function targets(table: LineageTable): NumberColumn[] {
  const RANK = { metrics: 0, scalars: 1, params: 2, run: 3 }
  const WANTED = { max: 0, min: 1 }
  const numbers = [...table.columns.values()].filter(
    (column) => column.kind === 'number' && column.set > 0,
  ) as NumberColumn[]
  const rank = ({ group, better }: NumberColumn): number => RANK[group] * 3 + (better ? WANTED[better] : 2)
  return numbers.sort((a, b) => rank(a) - rank(b) || b.set - a.set)
}

/** The standard axes: parameters that differ between runs, one more result, and the target last. */
export function standardAxes(table: LineageTable, target: string): Axis[] {
  const all = [...table.columns.values()].filter(
    (column) => column.name !== target && differs(column) && (column.kind === 'number' || tellsGroups(column)),
  )
  const most = (some: Column[], count: number): Column[] => {
    const columns = some.filter(
      (column, at) => !some.slice(0, at).some((earlier) => earlier.set === column.set && saysTheSame(earlier, column)),
    )
    // First the columns that most runs have, in their order, then the others.
    const usual = (column: Column): number => Number(column.set * 2 < table.count)
    const chosen = new Set([...columns].sort((a, b) => usual(a) - usual(b)).slice(0, count))
    return columns.filter((column) => chosen.has(column))
  }
  const aimed = table.columns.get(target)
  const results = all.filter(({ group }) => group === 'metrics' || group === 'scalars')
  const columns = [
    ...most(
      all.filter(({ group }) => group === 'params'),
      STANDARD_PARAMS,
    ),
    ...most(
      results.filter(({ better }) => better !== null),
      STANDARD_RESULTS,
    ),
    ...(aimed ? [aimed] : []),
  ]
  return columns.map(goodAxis)
}

/** The columns of the table below: the target first, then the selected ones, or those of the axes. */
export function tableColumns(
  table: LineageTable,
  target: string,
  axes: readonly Axis[],
  chosen: readonly string[] | null,
): Column[] {
  const names = [target, ...(chosen ?? axes.map(({ name }) => name))]
  return [...new Set(names)].flatMap((name) => table.columns.get(name) ?? [])
}
