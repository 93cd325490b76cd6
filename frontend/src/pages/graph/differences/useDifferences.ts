/** Steps through the nodes that differ in a comparison. Called by the page. */
import { ref, watch } from 'vue'

import type { ChangeRow, Changes } from '../../../graphs/answers'
import type { GraphModel } from '../../../graphs/useGraph'
import type { Reach } from '../viewParams'

const PAGE = 200

/** @param reach the last phase that is shown */
export function useDifferences(model: GraphModel, reach: () => Reach) {
  const at = ref(-1)
  const known = new Map<number, ChangeRow>()
  let total = 0
  watch([model.root, reach], () => {
    at.value = -1
    known.clear()
    total = 0
  })
  async function rowAt(number: number): Promise<ChangeRow | null> {
    const first = Math.floor(number / PAGE) * PAGE
    if (!known.has(number)) {
      const found = await model.question<Changes>('changes', { reach: reach(), first, count: PAGE })
      total = found.total
      found.rows.forEach((row, place) => known.set(found.first + place, row))
    }
    return known.get(number) ?? null
  }
  /** The next or previous difference; wraps around at the end. Null if there is none. */
  async function next(delta: number): Promise<ChangeRow | null> {
    if (total === 0 && !(await rowAt(0))) return null
    at.value = at.value < 0 && delta < 0 ? total - 1 : (at.value + delta + total) % total
    return rowAt(at.value)
  }
  return { next }
}
