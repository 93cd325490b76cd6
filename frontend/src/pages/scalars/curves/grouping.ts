/**
 * Groups of runs: by hyper-parameters and tags, which the server provides, or by a pattern in their names, which is
 * matched here. Called by the page.
 */
import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import type { QueryParam } from '../../../scaffold/viewState'
import { COLOURS } from '../../../data/runs/colours'
import { fetchGroupings, type Grouping } from '../../../data/series/groups'
import { useRuns } from '../../../data/runs/runs'
import type { ApiProblem } from '../../../data/types'
import { formatNames, parseNames } from '../names'

/** By keys of the server (`param:lr`, `tags`), or by matches of a regular expression in the name. */
export type GroupBy = { keys: readonly string[] } | { pattern: string }

export const isPattern = (by: GroupBy): by is { pattern: string } => 'pattern' in by

const PATTERN = 'name:'

/** `param:lr,tags`; `name:^(.*)_seed`. */
export const groupByParam: QueryParam<GroupBy | null> = {
  default: null,
  parse(text) {
    if (text.startsWith(PATTERN))
      return compiled(text.slice(PATTERN.length)) ? { pattern: text.slice(PATTERN.length) } : undefined
    try {
      const keys = parseNames(text).filter((key) => key === 'tags' || /^param:./.test(key))
      return keys.length ? { keys } : undefined
    } catch {
      return undefined
    }
  },
  format: (by) => by && (isPattern(by) ? `${PATTERN}${by.pattern}` : formatNames(by.keys)),
}

function compiled(pattern: string): RegExp | null {
  try {
    return pattern ? new RegExp(pattern) : null
  } catch {
    return null
  }
}

export interface RunGroup {
  name: string
  runs: readonly number[]
  /** A CSS colour or variable. */
  colour: string
}

type Value = string | number | boolean | null

function written(value: Value): string {
  if (value === null) return '–'
  return value === '' ? '–' : String(value)
}

/** `lr=0.01 · tags=seed`. */
function nameOf(keys: readonly string[], values: readonly Value[]): string {
  return keys.map((key, at) => `${key.replace(/^param:/, '')}=${written(values[at])}`).join(' · ')
}

/** Numbers by value, 0.01 before 0.1; other texts alphabetically. */
function inOrder(a: string, b: string): number {
  return Number(a) - Number(b) || a.localeCompare(b, undefined, { numeric: true })
}

/**
 * Groups runs by the match of an expression in their names: the joined capture groups, or the whole match if it has
 * none.
 */
export function byPattern(
  pattern: string,
  runs: readonly { number: number; name: string }[],
): { name: string; runs: number[] }[] {
  const expression = compiled(pattern)
  const groups = new Map<string, number[]>()
  for (const { number, name } of runs) {
    const found = expression?.exec(name)
    const parts = found && found.length > 1 ? found.slice(1).filter(Boolean) : found ? [found[0]] : []
    const key = parts.join(' · ') || '–'
    const group = groups.get(key)
    if (group) group.push(number)
    else groups.set(key, [number])
  }
  return [...groups].map(([name, members]) => ({ name, runs: members })).sort((a, b) => inOrder(a.name, b.name))
}

const paint = (at: number): string => `var(--run-${(at % COLOURS) + 1})`

export interface RunGrouping {
  /** The groups of the visible runs; null without grouping and while loading. */
  groups: ComputedRef<readonly RunGroup[] | null>
  /** The possible grouping keys of the visible runs; fetched by `look`. */
  keys: ShallowRef<Grouping['keys'] | null>
  problem: ShallowRef<ApiProblem | null>
  look(): void
}

export function useGrouping(by: Readonly<Ref<GroupBy | null>>): RunGrouping {
  const runs = useRuns()
  const keys = shallowRef<Grouping['keys'] | null>(null)
  const answer = shallowRef<{ keys: readonly string[]; groups: Grouping['groups'] } | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  let asked = 0

  const visible = computed(() => [...runs.visible].sort((a, b) => a - b))

  async function ask(by: readonly string[]): Promise<void> {
    const turn = ++asked
    if (!visible.value.length) return
    try {
      const found = await fetchGroupings(visible.value, by)
      if (turn !== asked) return
      keys.value = found.keys
      answer.value = { keys: by, groups: found.groups }
      problem.value = null
    } catch (failure) {
      if (turn === asked) problem.value = failure as ApiProblem
    }
  }

  // Changed notes on runs may change their groups.
  const marks = computed(() => runs.rows.map(({ marks }) => marks.tags.join()).join('|'))
  watch(
    [by, visible, marks],
    ([now]) => {
      if (now && !isPattern(now)) void ask(now.keys)
      else answer.value = null
    },
    { immediate: true },
  )
  onScopeDispose(() => void asked++)

  const groups = computed<readonly RunGroup[] | null>(() => {
    const now = by.value
    if (!now) return null
    if (isPattern(now)) {
      const rows = runs.rows.filter((row) => runs.isVisible(row.number))
      return byPattern(now.pattern, rows).map((group, at) => ({ ...group, colour: paint(at) }))
    }
    return (
      answer.value?.groups.map((group, at) => ({
        name: nameOf(answer.value?.keys ?? [], group.values as Value[]),
        runs: group.runs,
        colour: paint(at),
      })) ?? null
    )
  })
  return { groups, keys, problem, look: () => void ask(by.value && !isPattern(by.value) ? by.value.keys : []) }
}
