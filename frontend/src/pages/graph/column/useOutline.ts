/**
 * Rows of the outline: open boxes with those of their children that are loaded. Called by the page; OutlineTree.vue
 * draws them.
 */
import { computed, type ComputedRef } from 'vue'

import { boxOf, boxPath, instanceOf } from '../../../graphs/paths'
import type { Box } from '../../../graphs/answers'
import type { GraphModel } from '../../../graphs/useGraph'
import { sized } from '../../../components/browser/rem'

export interface OutlineRow {
  key: string
  height: number
  /** Path of the box, without an instance. */
  path: string
  /** Path of the container, if it is open. */
  open: string | null
  box: Box
  depth: number
  /** Position among its siblings, from 1, and the number of siblings. */
  place: number
  siblings: number
}

export const ROW_HEIGHT = sized(26)

export function useOutline(
  model: GraphModel,
  open: () => readonly string[],
  shows: (box: Box) => boolean,
): ComputedRef<OutlineRow[]> {
  return computed(() => {
    const all = new Set(open())
    const opened = new Map(
      open()
        .filter((path) => !all.has(`${boxOf(path)}#*`) || path.endsWith('#*'))
        .map((path) => [boxOf(path), path]),
    )
    const rows: OutlineRow[] = []
    function add(container: string, depth: number): void {
      const boxes = model.insides.get(container)?.boxes.filter(shows) ?? []
      boxes.forEach((box, at) => {
        const path = boxPath(container, box.index)
        const inside = box.inside > 0 ? (opened.get(path) ?? null) : null
        rows.push({
          key: path,
          height: ROW_HEIGHT,
          path,
          open: inside,
          box,
          depth,
          place: at + 1,
          siblings: boxes.length,
        })
        if (inside === `${path}#*`) addInstances(path, box, depth + 1)
        else if (inside !== null) add(inside, depth + 1)
      })
    }
    /** The occurrences of an unrolled stack, each a box of its own. */
    function addInstances(stack: string, box: Box, depth: number): void {
      for (let at = 0; at < box.count; at++) {
        const path = `${stack}#${at}`
        const one: Box = {
          ...box,
          kind: 'one',
          name: `${box.name} ${at + 1}`,
          count: 1,
          variants: [],
          operators: Math.round(box.operators / box.count),
          nodes: Math.round(box.nodes / box.count),
        }
        const inside = all.has(path) ? path : null
        rows.push({
          key: path,
          height: ROW_HEIGHT,
          path,
          open: inside,
          box: one,
          depth,
          place: at + 1,
          siblings: box.count,
        })
        if (inside !== null) add(inside, depth + 1)
      }
    }
    add('', 0)
    return rows
  })
}

/** The path that opens a box: for a stack the first instance, or the one in the path. */
export const openingOf = (path: string, box: Box): string =>
  box.kind === 'stack' && instanceOf(path) === null ? `${path}#0` : path
