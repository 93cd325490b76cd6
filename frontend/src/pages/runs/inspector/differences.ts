/** Differences between runs: parameters and results whose values differ, and the distances of numbers. */
import type { components } from '../../../data/schema'
import { wireFloat } from '../../../data/rows'

export type RunDetails = components['schemas']['RunDetails']

export interface Difference {
  name: string
  /** In the order of the runs; undefined if a run has no value. */
  values: readonly unknown[]
  differs: boolean
}

const byName = new Intl.Collator('en', { numeric: true })

function rowsOf(places: readonly Readonly<Record<string, unknown>>[]): Difference[] {
  const names = [...new Set(places.flatMap((place) => Object.keys(place)))].sort(byName.compare)
  return names.map((name) => {
    const values = places.map((place) => place[name])
    const first = JSON.stringify(values[0])
    return { name, values, differs: values.some((value) => JSON.stringify(value) !== first) }
  })
}

/** First the differing values, then the equal ones, each sorted by name. */
function differingFirst(rows: Difference[]): Difference[] {
  return [...rows.filter((row) => row.differs), ...rows.filter((row) => !row.differs)]
}

export function paramDifferences(runs: readonly RunDetails[]): Difference[] {
  return differingFirst(rowsOf(runs.map((run) => run.params)))
}

/** Results as numbers; NaN if a run has none. */
export function metricDifferences(runs: readonly RunDetails[]): { name: string; values: number[]; differs: boolean }[] {
  const rows = rowsOf(runs.map((run) => run.metrics))
  return differingFirst(rows).map(({ name, values, differs }) => ({
    name,
    differs,
    values: values.map((value) => wireFloat(value as number)),
  }))
}

/** A parameter as text; lists as the training recorded them. */
export function paramText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
