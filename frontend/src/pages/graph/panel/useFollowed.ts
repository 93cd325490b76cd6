/** The nodes reached from a node, and the boxes on the way. Called by the page; FollowPart.vue describes them. */
import { computed, type ComputedRef } from 'vue'

import { boxOf, containersOf } from '../../../graphs/paths'
import type { ShortestPath, Trace } from '../../../graphs/answers'
import { useAnswer, type Answer } from '../../../data/answer'
import type { GraphModel } from '../../../graphs/useGraph'
import { followedParam, type Followed } from '../viewParams'

export interface Following {
  trace: Answer<Trace>
  path: Answer<ShortestPath>
  /** Boxes on the way, and their containers. */
  marked: ComputedRef<ReadonlySet<string>>
}

export function useFollowed(model: GraphModel, followed: () => Followed | null): Following {
  const keyOf = (isPath: boolean): string | null => {
    const now = followed()
    return now && model.root.value && (now.kind === 'path') === isPath
      ? `${model.asked.value?.graph ?? ''} ${followedParam.format(now) ?? ''}`
      : null
  }
  const trace = useAnswer(
    () => keyOf(false),
    (signal) => {
      const now = followed()
      return model.question<Trace>(
        'trace',
        now && now.kind !== 'path' ? { node: now.node, direction: now.kind, steps: now.steps } : {},
        signal,
      )
    },
  )
  const path = useAnswer(
    () => keyOf(true),
    (signal) => {
      const now = followed()
      return model.question<ShortestPath>(
        'path',
        now?.kind === 'path' ? { source: now.node, target: now.to } : {},
        signal,
      )
    },
  )
  const marked = computed(() => {
    const leaves = [...(trace.value.value?.boxes ?? []), ...(path.value.value?.nodes ?? []).map(({ box }) => box)]
    return new Set(leaves.flatMap((leaf) => [leaf, ...containersOf(leaf).map(boxOf)]))
  })
  return { trace, path, marked }
}
