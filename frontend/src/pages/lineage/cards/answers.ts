/** What the server works out about the runs found: shapes of `/api/lineage/importance`, `gap` and `compare` (mindinsight/lineage/api.md). */
import type { CellValue } from '../../../data/runTable'
import type { Failure } from '../../../data/untilDone'

export type ParameterKind = 'number' | 'log' | 'category'

/** A value with its 95 % interval. */
export interface Interval {
  low: number
  high: number
}

export interface Importance extends Interval {
  name: string
  kind: ParameterKind
  /** Share of the target's variance; 0 is nothing. */
  importance: number
  /** Spearman's correlation with the target; null for what has no order. */
  rank: number | null
  rank_low: number | null
  rank_high: number | null
  set: number
  distinct: number
  /** Others that always change with it. */
  same?: readonly string[]
}

export interface Interaction extends Interval {
  a: string
  b: string
  strength: number
}

/** What a fitted model says of one parameter, the others as they are in the runs. */
export interface Effect {
  name: string
  kind: ParameterKind
  /** Null for an infinity. */
  x?: readonly (number | null)[] | null
  categories?: readonly CellValue[] | null
  mean: readonly number[]
  low: readonly number[]
  high: readonly number[]
  missing?: { mean: number; low: number; high: number } | null
}

export interface Notice {
  code: string
  [detail: string]: unknown
}

export interface ImportanceResult {
  n: number
  left_out: Readonly<Record<string, number>>
  /** Null where nothing could be fitted. */
  fit: (Interval & { r2: number }) | null
  parameters: readonly Importance[]
  interactions: readonly Interaction[]
  effects: readonly Effect[]
  notices: readonly Notice[]
}

export interface Worked<T> {
  state: 'waiting' | 'running' | 'done' | 'failed'
  progress: number
  problem: Failure | null
  /** While work goes on that of older values, where there is one. */
  result: T | null
}

/** What changing something would do to the target, as the model says. */
export interface Change extends Interval {
  change: number
}

/** A parameter in which two runs differ: what giving it the best run's value would do, alone. */
export interface GapPart extends Change {
  name: string
  run_value: CellValue
  best_value: CellValue
}

export interface Gap {
  best: number
  run: number
  best_value: number
  run_value: number
  parts: readonly GapPart[]
  /** All of them at once; null where there is no model. */
  together: Change | null
  /** Of the distance what that does not explain. */
  unexplained: number
  notices: readonly Notice[]
}

export interface CompareRow {
  name: string
  values: readonly unknown[]
  set: readonly boolean[]
  same: boolean
}

export interface Comparison {
  runs: readonly number[]
  sections: readonly { name: string; rows: readonly CompareRow[] }[]
}
