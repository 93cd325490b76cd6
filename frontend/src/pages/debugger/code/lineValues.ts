/**
 * What stands at the end of a line of the source: what its operators gave in the paused step. Pure; used by the card of
 * the source.
 */
import type { Placed } from '../context'
import { nameOf, type Statistics } from '../data/messages'
import { badOf, lowest, highest } from '../nodes/health'

export interface LineValue {
  text: string
  bad: boolean
  /** The node of the value. */
  node: string
}

const count = (n: number): string => String(n)

function written(one: Statistics, number: (value: number) => string): string {
  if (one.nans > 0) return `NaN ${count(one.nans)}`
  if (one.neg_infs > 0) return `${number(-Infinity)} ${count(one.neg_infs)}`
  if (one.pos_infs > 0) return `${number(Infinity)} ${count(one.pos_infs)}`
  return one.count === 1 ? number(one.mean) : `${number(lowest(one))} … ${number(highest(one))}`
}

/**
 * The values by line of a file. If a line has several operators: the first one that is not finite, otherwise the last.
 */
export function lineValues(
  nodes: Iterable<Placed>,
  file: number,
  measured: ReadonlyMap<string, Statistics>,
  number: (value: number) => string,
  /** The user's line that led to a node. */
  ownOf: (node: string) => number = () => 0,
): Map<number, LineValue> {
  const found = new Map<number, LineValue>()
  for (const { node } of nodes) {
    if (node.kind === 'GRADIENT') continue
    const one = measured.get(nameOf({ full_name: node.full_name, slot: 0, iteration: 0 }))
    if (!one) continue
    const direct = node.line?.file === file ? node.line.line : 0
    const at = direct > 0 ? direct : ownOf(node.full_name)
    if (at > 0 && !found.get(at)?.bad)
      found.set(at, { text: written(one, number), bad: badOf(one) > 0, node: node.full_name })
  }
  return found
}
