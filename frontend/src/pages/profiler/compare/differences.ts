/** Two profiles name by name: what takes longer, what less, what is new and what is gone. */
import type { Head, Sum } from '../source'

export interface Difference {
  name: string
  category: string
  /** Nanoseconds of own time, number of calls, and the longest slice; of one step each if both profiles have steps. */
  before: number
  after: number
  beforeCount: number
  afterCount: number
  change: number
  /** Rows of the longest slices; null where there is none. */
  beforeRow: number | null
  afterRow: number | null
}

export interface Side {
  head: Pick<Head, 'names' | 'ranges' | 'steps'>
  sums: readonly Sum[]
}

/** How many steps the sums of each side are divided by: 1 unless both have steps. */
export const divisors = (before: Side, after: Side): [number, number] =>
  before.head.steps.length && after.head.steps.length ? [before.head.steps.length, after.head.steps.length] : [1, 1]

/** The differences of two profiles, the largest first. Ranges such as steps are left out. */
export function differencesOf(before: Side, after: Side): Difference[] {
  const rows = new Map<string, Difference>()
  const [one, other] = divisors(before, after)
  const row = (side: Side, sum: Sum): Difference => {
    const [name = '', category = ''] = side.head.names[sum.name] ?? []
    const key = `${name}\0${category}`
    let found = rows.get(key)
    if (!found) {
      found = {
        name,
        category,
        before: 0,
        after: 0,
        beforeCount: 0,
        afterCount: 0,
        change: 0,
        beforeRow: null,
        afterRow: null,
      }
      rows.set(key, found)
    }
    return found
  }
  for (const sum of work(before)) {
    Object.assign(row(before, sum), { before: sum.own / one, beforeCount: sum.count / one, beforeRow: sum.longest })
  }
  for (const sum of work(after)) {
    Object.assign(row(after, sum), { after: sum.own / other, afterCount: sum.count / other, afterRow: sum.longest })
  }
  for (const found of rows.values()) found.change = found.after - found.before
  return [...rows.values()].sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
}

function work({ head, sums }: Side): Sum[] {
  const ranges = new Set(head.ranges)
  return sums.filter(({ name }) => !ranges.has(name))
}
