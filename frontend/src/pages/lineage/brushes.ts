/** Brushes: the selected values of a column, in the address and applied to the rows of the table. */
import type { QueryParam } from '../../scaffold/viewState'
import { takenApart, together } from './lists'
import { isSet, type CategoryColumn, type Column, type LineageTable } from './table'

export type Span = readonly [low: number, high: number]

/** A run is within a brush if any part of the brush matches. */
export interface Brush {
  /** Ranges of numbers, ends included; `[NaN, NaN]` is NaN. */
  ranges: readonly Span[]
  /** Values of a categorical column, as texts. */
  values: readonly string[]
  /** Whether runs without a value match. */
  missing: boolean
}
export type Brushes = ReadonlyMap<string, Brush>

export const NO_BRUSH: Brush = { ranges: [], values: [], missing: false }

export const isEmpty = ({ ranges, values, missing }: Brush): boolean =>
  !missing && ranges.length === 0 && values.length === 0

const NUMBER = /^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|NaN|-?Infinity)$/i

function parsePart(part: string): Partial<Brush> | null {
  if (part === '?') return { missing: true }
  if (part.startsWith('=')) return { values: [part.slice(1)] }
  const [low, high, more] = part.split('..')
  if (more !== undefined || high === undefined || !NUMBER.test(low) || !NUMBER.test(high)) return null
  return { ranges: [[Number(low), Number(high)]] }
}

function parseBrush(text: string): [string, Brush] | null {
  const [name, ...parts] = takenApart(text, '|')
  let brush = NO_BRUSH
  for (const part of parts.map(parsePart)) {
    if (part)
      brush = {
        ranges: [...brush.ranges, ...(part.ranges ?? [])],
        values: [...brush.values, ...(part.values ?? [])],
        missing: brush.missing || part.missing === true,
      }
  }
  return name && !isEmpty(brush) ? [name, brush] : null
}

function formatBrush([name, { ranges, values, missing }]: [string, Brush]): string {
  const parts = [
    ...ranges.map(([low, high]) => `${low}..${high}`),
    ...values.map((value) => `=${value}`),
    ...(missing ? ['?'] : []),
  ]
  return together([name, ...parts], '|')
}

/** `brush=params.lr|0.001..0.01|?~params.optimizer|=adam`. */
export const brushesParam: QueryParam<Brushes> = {
  default: new Map(),
  parse: (text) => new Map(takenApart(text, '~').flatMap((part) => [parseBrush(part)].filter((one) => one !== null))),
  format: (brushes) => together([...brushes].filter(([, brush]) => !isEmpty(brush)).map(formatBrush), '~') || null,
  say: (brushes) => (t) => t('lineage.edit.brushes', { n: brushes.size }),
}

/** The brushes with one of them replaced, or removed if it is empty. */
export function withBrush(brushes: Brushes, name: string, brush: Brush): Brushes {
  const next = new Map(brushes)
  if (isEmpty(brush)) next.delete(name)
  else next.set(name, brush)
  return next
}

/** Sorts ranges and joins those that touch. */
export function joined(ranges: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && span[0] <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], span[1])]
    else result.push(span)
  }
  return result
}

export function withinRanges(value: number, ranges: readonly Span[]): boolean {
  return ranges.some(([low, high]) => (value >= low && value <= high) || (Number.isNaN(low) && Number.isNaN(value)))
}

/** By category code, whether the brush selects it. */
function codesWithin({ values }: CategoryColumn, brush: Brush): Uint8Array {
  const within = new Uint8Array(values.length + 1)
  within[0] = Number(brush.missing)
  values.forEach((value, at) => {
    const number = typeof value === 'number' && withinRanges(value, brush.ranges)
    within[at + 1] = Number(number || brush.values.includes(String(value)))
  })
  return within
}

/** Removes rows that are not within a brush from `passing`. */
function narrow(passing: Uint8Array, column: Column, brush: Brush): void {
  if (column.kind === 'category') {
    const within = codesWithin(column, brush)
    for (let row = 0; row < passing.length; row++) passing[row] &= within[column.codes[row]]
    return
  }
  const { values } = column
  const asked = brush.values.length
    ? [...brush.ranges, ...brush.values.map((value): Span => [Number(value), Number(value)])]
    : brush.ranges
  for (let row = 0; row < passing.length; row++) {
    if (passing[row] === 0) continue
    passing[row] = Number(isSet(column, row) ? withinRanges(values[row], asked) : brush.missing)
  }
}

/**
 * By row, 1 if the run is within all brushes and not hidden. If the column of a brush does not exist (any more), its
 * runs count as unset.
 */
export function rowsPassing(table: LineageTable, brushes: Brushes, hidden: ReadonlySet<number>): Uint8Array {
  const passing = new Uint8Array(table.count).fill(1)
  for (const row of hidden) passing[row] = 0
  for (const [name, brush] of brushes) {
    const column = table.columns.get(name)
    if (column) narrow(passing, column, brush)
    else if (!brush.missing) passing.fill(0)
  }
  return passing
}
