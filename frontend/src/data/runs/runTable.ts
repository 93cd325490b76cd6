/**
 * The runs of a table in the server's order and groups, and the values of its columns: all run numbers at once, values
 * only for visible rows. Kept up to date while the component lives; one for each table.
 */
import {
  computed,
  onScopeDispose,
  shallowReactive,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
  type ShallowRef,
} from 'vue'

import { api, ask } from '../api'
import { wireFloat, type WireFloat } from '../rows'
import { useRuns } from './runs'
import type { components } from '../schema'
import type { ApiProblem } from '../types'

type Schemas = components['schemas']
/** A value of a column. NaN and the infinities are numbers here. */
export type CellValue = number | string | boolean | null
export type Better = 'min' | 'max' | null

export interface Statistics {
  n: number
  mean: number | null
  std: number | null
  min: number | null
  max: number | null
  best: number | null
  /** The common value; undefined if values differ. */
  same: CellValue | undefined
}

export interface RunGroup {
  level: number
  key: CellValue
  /** Index of its first run in the order. */
  first: number
  count: number
  columns: Readonly<Record<string, Statistics>>
}

export interface RunOrder {
  runs: readonly number[]
  groups: readonly RunGroup[]
  /** Number of runs on the shelf, with or without a match. */
  of: number
  archived: number
  milliseconds: number
}

export type Shelf = 'active' | 'archived'

export interface TableQuestion {
  query: string
  /** The order, in the query language. Pinned runs always come first. */
  sort: string
  by: readonly string[]
  columns: readonly string[]
  shelf: Shelf
}

export interface RunTable {
  order: ShallowRef<RunOrder | null>
  problem: ShallowRef<ApiProblem | null>
  busy: Ref<boolean>
  /** Values of a run in the order of the columns; undefined until they are known. */
  valuesOf: (run: number) => readonly CellValue[] | undefined
  /** Which values of a column are better, if its name shows it. */
  betterOf: (column: string) => Better
  /** Requests missing values. */
  want: (runs: readonly number[]) => void
  /** Values of all these runs; missing ones are requested. */
  all: (runs: readonly number[], columns: readonly string[]) => Promise<Map<number, CellValue[]>>
  again: () => void
}

/** Milliseconds to wait for the next keystroke. */
const SETTLED = 30
const NEW_RUNS_WITHIN = 150
/** Points arrive all the time. Values in a table may follow slowly. */
const FOLLOW_EVERY = 1000
const TOGETHER = 40
const AT_ONCE = 200
const WORDS = new Set(['NaN', 'Infinity', '-Infinity'])

function cell(wire: unknown): CellValue {
  if (typeof wire === 'string' && WORDS.has(wire)) return Number(wire)
  return wire as CellValue
}

function number(wire: WireFloat | undefined): number | null {
  return wire === null || wire === undefined ? null : wireFloat(wire)
}

function statistics(wire: Schemas['ColumnStatistics']): Statistics {
  return {
    n: wire.n,
    mean: number(wire.mean),
    std: number(wire.std),
    min: number(wire.min),
    max: number(wire.max),
    best: number(wire.best),
    same: wire.same === undefined ? undefined : cell(wire.same),
  }
}

function runOrder(wire: Schemas['RunOrder']): RunOrder {
  const groups = wire.groups.map(({ columns, key, ...group }) => ({
    ...group,
    key: cell(key),
    columns: Object.fromEntries(Object.entries(columns).map(([title, found]) => [title, statistics(found)])),
  }))
  return { ...wire, groups }
}

async function fetchValues(
  runs: readonly number[],
  columns: readonly string[],
): Promise<{ found: Map<number, CellValue[]>; better: Better[] }> {
  const found = new Map<number, CellValue[]>()
  let better: Better[] = []
  for (let start = 0; start < runs.length; start += AT_ONCE) {
    const query = { runs: runs.slice(start, start + AT_ONCE).join(','), columns: columns.join(',') }
    const answer = await ask(api.GET('/api/runs/values', { params: { query } }))
    better = answer.columns.map((column) => column.better)
    for (const [run, values] of Object.entries(answer.values)) found.set(Number(run), values.map(cell))
  }
  return { found, better }
}

export function useRunTable(asked: () => TableQuestion): RunTable {
  const runs = useRuns()
  const order = shallowRef<RunOrder | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const busy = shallowRef(false)
  const values = shallowReactive(new Map<number, CellValue[]>())
  const better = shallowReactive(new Map<string, Better>())
  const question = computed(asked)
  const columnsKey = computed(() => question.value.columns.join(','))

  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  async function load(): Promise<void> {
    timer = undefined
    const mine = ++turn
    busy.value = true
    const { query, sort, by, columns, shelf } = question.value
    const sorts = ['-pinned', ...(sort ? [sort] : [])].join(',')
    try {
      const answer = await ask(
        api.GET('/api/runs/order', {
          params: {
            query: { query, sort: sorts, shelf, by: by.join(','), columns: by.length ? columns.join(',') : '' },
          },
        }),
      )
      if (mine !== turn) return
      order.value = runOrder(answer)
      problem.value = null
    } catch (failure) {
      if (mine === turn) problem.value = failure as ApiProblem
    }
    busy.value = false
  }
  function loadIn(delay: number): void {
    if (timer !== undefined) clearTimeout(timer)
    timer = setTimeout(() => void load(), delay)
  }

  // --- values of the visible rows
  const asking = new Set<number>()
  let inView: readonly number[] = []
  async function fetchMissing(which: readonly number[]): Promise<void> {
    const key = columnsKey.value
    const missing = which.filter((run) => !asking.has(run))
    if (!missing.length || !key) return
    for (const run of missing) asking.add(run)
    try {
      const answer = await fetchValues(missing, question.value.columns)
      if (key !== columnsKey.value) return
      question.value.columns.forEach((column, index) => better.set(column, answer.better[index] ?? null))
      for (const [run, found] of answer.found) values.set(run, found)
    } catch (failure) {
      // An invalid column is reported once, by the order; a lost connection by the bar above.
      if (key === columnsKey.value && (failure as ApiProblem).code === 'bad_query')
        problem.value = failure as ApiProblem
    } finally {
      for (const run of missing) asking.delete(run)
    }
  }
  let wanting: ReturnType<typeof setTimeout> | undefined
  function want(which: readonly number[]): void {
    inView = which
    // Rows that scroll by are requested together.
    wanting ??= setTimeout(
      () => {
        wanting = undefined
        void fetchMissing(inView.filter((run) => !values.has(run)))
      },
      values.size ? TOGETHER : 0,
    )
  }
  async function all(which: readonly number[], columns: readonly string[]): Promise<Map<number, CellValue[]>> {
    return columns.length ? (await fetchValues(which, columns)).found : new Map<number, CellValue[]>()
  }

  watch(columnsKey, () => {
    values.clear()
    asking.clear()
    void fetchMissing(inView)
  })
  watch(question, (now, before) => {
    if (JSON.stringify(now) === JSON.stringify(before)) return
    loadIn(now.query === before.query ? 0 : SETTLED)
  })

  // --- changes
  /** New runs and changes of marks move rows; new points do not. */
  const news: ComputedRef<string> = computed(() => {
    let sum = 0
    for (const row of runs.byNumber.values()) sum += row.number * 31 + row.marks.version * 7 + row.state.length
    return `${runs.byNumber.size} ${sum}`
  })
  watch([news, () => runs.loaded], () => loadIn(order.value ? NEW_RUNS_WITHIN : 0))
  const seen = new Map<number, number | null>()
  const follow = setInterval(() => {
    const moved = inView.filter((run) => {
      const last = runs.byNumber.get(run)?.lastWall ?? null
      const known = seen.get(run)
      seen.set(run, last)
      return known !== undefined && known !== last
    })
    if (moved.length && !document.hidden) void fetchMissing(moved)
  }, FOLLOW_EVERY)
  void load()
  onScopeDispose(() => {
    clearTimeout(timer)
    clearTimeout(wanting)
    clearInterval(follow)
    turn++
  })

  return {
    order,
    problem,
    busy,
    want,
    all,
    again: () => loadIn(0),
    valuesOf: (run) => values.get(run),
    betterOf: (column) => better.get(column) ?? null,
  }
}
