/**
 * The health of a tensor in a glance: shares of its elements, and what stands in the columns. Pure; used by nodes and
 * source.
 */
import { nameOf, type Statistics } from '../data/messages'
import type { Placed } from '../context'

export interface Shares {
  /** Finite and not zero, zero, not finite: they add up to one. */
  plain: number
  zero: number
  bad: number
}

export const badOf = ({ nans, pos_infs, neg_infs }: Statistics): number => nans + pos_infs + neg_infs

export function sharesOf(one: Statistics): Shares {
  if (!(one.count > 0)) return { plain: 0, zero: 0, bad: 0 }
  const bad = badOf(one) / one.count
  const zero = one.zeros / one.count
  return { plain: Math.max(0, 1 - bad - zero), zero, bad }
}

/** The smallest and the largest element; values that are not finite come first. */
export const lowest = ({ count, nans, neg_infs, pos_infs, min }: Statistics): number =>
  nans > 0 ? NaN : neg_infs > 0 ? -Infinity : pos_infs === count ? Infinity : min
export const highest = ({ count, nans, neg_infs, pos_infs, max }: Statistics): number =>
  nans === count ? NaN : pos_infs > 0 ? Infinity : neg_infs > 0 && nans + neg_infs === count ? -Infinity : max

export interface NodeRow {
  key: string
  placed: Placed
  slot: number
  statistics: Statistics | null
  shape: readonly number[]
}

/**
 * A row for each output, in the order of execution; iterations behind the first are rows of their own where they were
 * measured.
 */
export function nodeRows(nodes: Iterable<Placed>, measured: ReadonlyMap<string, Statistics>): NodeRow[] {
  return [...nodes].flatMap((placed) => {
    const { full_name, outputs } = placed.node
    return (outputs.length ? outputs : [{ shape: [] }]).map(({ shape }, slot) => {
      const key = nameOf({ full_name, slot, iteration: 0 })
      return { key, placed, slot, statistics: measured.get(key) ?? null, shape }
    })
  })
}
