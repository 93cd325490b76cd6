/**
 * The entries of some tags at the step cursor: the newest ones without fetching their steps, or those at or before a
 * step. Called by the tiles of images and texts.
 */
import { computed, onScopeDispose, watch, type ComputedRef } from 'vue'

import { useHub } from '../../data/live/hub'
import { useSteps, type RecordedKind } from '../../recorded/library'
import { entryAt, makeTimeline, type Entry } from '../../recorded/timeline'
import type { RecordedTag } from './overviewOf'

export interface TagEntry {
  tag: RecordedTag
  /** Null if nothing was recorded by then. */
  entry: Entry | null
}

/** @param step null for the newest */
export function useEntries(
  kind: RecordedKind,
  tags: () => readonly RecordedTag[],
  step: () => number | null,
): ComputedRef<readonly TagEntry[]> {
  // Entries that cannot be fetched are left out; the full page says why.
  const { steps, want, forget } = useSteps(kind, () => undefined)
  const silence = useHub().listen({ storeChanged: forget })
  onScopeDispose(silence)
  const isPast = (tag: RecordedTag): boolean => (step() ?? Infinity) < (tag.lastStep ?? Infinity)
  watch(
    () =>
      tags()
        .filter(isPast)
        .flatMap(({ parts }) => parts),
    (parts) => parts.forEach(want),
    { immediate: true },
  )
  return computed(() =>
    tags().map((tag): TagEntry => {
      const newest = { series: tag.series, index: tag.count - 1, step: tag.lastStep ?? 0 }
      if (!isPast(tag)) return { tag, entry: newest }
      const known = tag.parts.map(({ series, segment }) => ({ series, segment, steps: steps.get(series) ?? [] }))
      return { tag, entry: entryAt(makeTimeline(known), step()) }
    }),
  )
}
