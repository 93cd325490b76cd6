/**
 * The product's only step cursor: every page shows its data at this step. Null follows the newest step.
 */
import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, type Component } from 'vue'

import { useHub } from '../live/hub'
import { loggedStep, type Steps } from '../series/loggedSteps'
import { useRuns } from './runs'

export interface Extent {
  first: number
  last: number
}

/** What a page about one run shows on the strip in place of all visible runs. */
export interface Focus {
  /** The run's number; null if nothing is recorded. */
  run: number | null
  /** Draws marks on the strip. Its props: `place`, which gives the x of a step, and `height`. */
  marks: Component
}

export const useCursor = defineStore('cursor', () => {
  const hub = useHub()
  const runs = useRuns()
  const step = ref<number | null>(null)
  const follow = computed(() => step.value === null)

  /** Data on the screen other than curves. */
  const sources = shallowReactive(new Set<() => readonly Steps[]>())
  const others = computed(() => [...sources].flatMap((source) => source()).filter(({ length }) => length > 0))

  const focused = shallowRef<(() => Focus) | null>(null)
  const focus = computed(() => focused.value?.() ?? null)
  const isShown = (run: number): boolean => (focus.value ? focus.value.run === run : runs.isVisible(run))

  const first = computed(() => {
    let least = others.value.reduce((before, { step }) => Math.min(before, step[0]), Infinity)
    for (const row of runs.series) {
      if (row.firstStep !== null && row.firstStep < least && isShown(row.run)) least = row.firstStep
    }
    return least
  })
  const extent = computed<Extent | null>(() => {
    let last = -Infinity
    for (const run of runs.byNumber.values()) if (isShown(run.number)) last = Math.max(last, run.lastStep ?? -Infinity)
    // The last step of a run is that of its scalars. A run may have none.
    for (const { step, length } of others.value) last = Math.max(last, step[length - 1])
    if (last === -Infinity) return null
    return { first: Math.min(last, first.value === Infinity ? 0 : first.value), last }
  })

  function set(next: number): void {
    step.value = Math.round(next)
  }

  function followNewest(): void {
    step.value = null
  }

  /** Moves over the logged steps of the data on the screen. At the newest one it follows again. */
  function move(delta: number): void {
    const range = extent.value
    if (!range) return
    const from = step.value ?? range.last
    const columns: Steps[] = [...others.value, ...[...hub.series.watched()].map((series) => series.drawn)]
    const next = loggedStep(columns, from, delta)
    if (next >= range.last && delta > 0) followNewest()
    else set(Math.max(range.first, Math.min(range.last, next)))
  }

  /** Lets the cursor also stop at the steps of a page without curves. Returns the function that ends this. */
  function follows(source: () => readonly Steps[]): () => void {
    sources.add(source)
    return () => void sources.delete(source)
  }

  /** Narrows the strip to one run. Returns the function that ends this. */
  function narrow(to: () => Focus): () => void {
    focused.value = to
    return () => {
      if (focused.value === to) focused.value = null
    }
  }

  return { step, follow, extent, focus, isShown, set, followNewest, move, follows, narrow }
})
