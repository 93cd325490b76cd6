/** Where the nodes of a flame graph are drawn: the chosen node and what is above it take the whole width. */
import type { FlameNode } from '../source'

export interface Box {
  /** Place among the nodes. */
  at: number
  node: FlameNode
  /** Shares of the width. */
  left: number
  wide: number
  /** Whether the chosen node lies in it. */
  above: boolean
}

const NARROWEST = 0.001

/**
 * The boxes of a flame graph, level by level.
 * @param root place of the chosen node; null for all
 */
export function boxesOf(nodes: readonly FlameNode[], root: number | null): Box[] {
  const around = aroundOf(nodes, root)
  const chosen = root === null ? undefined : nodes[root]
  const all = chosen?.total ?? nodes.filter(({ above }) => above < 0).reduce((sum, { total }) => sum + total, 0)
  /** For each box that is shown, where the next one inside of it begins; -1 is the whole graph. */
  const next = new Map<number, number>(chosen ? [] : [[-1, 0]])
  const boxes: Box[] = []
  for (const [at, node] of nodes.entries()) {
    if (around.has(at)) {
      boxes.push({ at, node, left: 0, wide: 1, above: at !== root })
      if (at === root) next.set(at, 0)
      continue
    }
    const left = next.get(node.above)
    if (left === undefined) continue
    const wide = node.total / Math.max(1, all)
    next.set(node.above, left + wide).set(at, left)
    if (wide >= NARROWEST) boxes.push({ at, node, left, wide, above: false })
  }
  return boxes
}

/** A node and those above it. */
function aroundOf(nodes: readonly FlameNode[], root: number | null): Set<number> {
  const found = new Set<number>()
  for (let at = root ?? -1; nodes[at]; at = nodes[at]?.above ?? -1) found.add(at)
  return found
}
