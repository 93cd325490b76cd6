/**
 * Comparison of input pipelines: the compared ones, their differences, and the texts for them. Called by the parts of
 * the data tab.
 */
import type { components } from '../../../data/schema'

export type Pipeline = components['schemas']['Pipeline']
export type Operation = components['schemas']['PipelineOperation']
export type PipelineColumn = components['schemas']['PipelineColumn']

/** An argument of an operation; undefined if it is not given, null if the pipeline has no such operation. */
export type Cell = { is: 'value'; text: string } | { is: 'unset' } | { is: 'absent' } | { is: 'there' }

export interface Difference {
  column: PipelineColumn
  /** Distinct values, in the order of the pipelines. */
  cells: Cell[]
}

/** Pipelines that at least one run uses. Runs that are hidden or not listed do not count. */
export function withRuns(pipelines: readonly Pipeline[], isShown: (run: number) => boolean): Pipeline[] {
  return pipelines
    .map((pipeline) => ({ ...pipeline, runs: pipeline.runs.filter(isShown) }))
    .filter(({ runs }) => runs.length > 0)
    .sort((a, b) => b.runs.length - a.runs.length)
}

/** A value as it would be typed: texts without quotes, everything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2')
}

export function cellOf(pipeline: Pipeline, { key, argument }: PipelineColumn): Cell {
  const operation = pipeline.operations.find((one) => one.key === key)
  if (!operation) return { is: 'absent' }
  if (argument === null) return { is: 'there' }
  const value: unknown = operation.arguments[argument]
  return value === undefined ? { is: 'unset' } : { is: 'value', text: valueText(value) }
}

export const sameCell = (a: Cell, b: Cell): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * The columns in which pipelines differ. If some pipelines lack an operation, that is one difference; its arguments are
 * compared among the others.
 */
export function differences(pipelines: readonly Pipeline[], columns: readonly PipelineColumn[]): Difference[] {
  return columns.flatMap((column) => {
    const all = pipelines.map((pipeline) => cellOf(pipeline, column))
    const compared = column.argument === null ? all : all.filter(({ is }) => is !== 'absent')
    const cells = compared.filter((cell, at) => compared.findIndex((other) => sameCell(other, cell)) === at)
    return cells.length > 1 ? [{ column, cells }] : []
  })
}

/** Columns that at least one pipeline has. */
export function columnsOf(pipelines: readonly Pipeline[], columns: readonly PipelineColumn[]): PipelineColumn[] {
  return columns.filter((column) =>
    pipelines.some((pipeline) => {
      const { is } = cellOf(pipeline, column)
      return is === 'value' || is === 'there'
    }),
  )
}

/** Neighbouring columns of one operation. */
export function grouped(columns: readonly PipelineColumn[]): { key: string; columns: PipelineColumn[] }[] {
  const groups: { key: string; columns: PipelineColumn[] }[] = []
  for (const column of columns) {
    const last = groups.at(-1)
    if (last?.key === column.key) last.columns.push(column)
    else groups.push({ key: column.key, columns: [column] })
  }
  return groups
}

/**
 * Positions of the operations: sources at the left, one row for each; an operation that combines datasets stands
 * between its inputs.
 */
export function placesOf(operations: readonly Operation[]): { column: number; row: number }[] {
  const deepest = Math.max(...operations.map(({ depth }) => depth))
  let rows = 0
  const places: { column: number; row: number }[] = []
  for (const { depth, children } of operations) {
    const read = children.map((child) => places[child].row)
    const row = read.length > 0 ? (Math.min(...read) + Math.max(...read)) / 2 : rows++
    places.push({ column: deepest - depth, row })
  }
  return places
}
