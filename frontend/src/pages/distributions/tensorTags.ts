/**
 * Whether a run has recorded tensors under the tag of its histograms, to lead to their values. Called by the large
 * view.
 */
import { onScopeDispose, ref, watch, type Ref } from 'vue'

import { api, ask } from '../../data/api'

const known = new Map<number, Promise<ReadonlySet<string>>>()

function tagsOf(run: number): Promise<ReadonlySet<string>> {
  const asked = known.get(run)
  if (asked) return asked
  const coming = ask(api.GET('/api/tensors/tags', { params: { query: { runs: String(run) } } })).then(
    ({ tags }) => new Set(tags.map(({ name }) => name)),
  )
  known.set(run, coming)
  // A run that goes on may record tensors later: what is not there is asked for again with the next tag.
  const forget = (): void => void known.delete(run)
  coming.then(forget, forget)
  return coming
}

export function useHasTensors(of: () => { run: number; tag: string } | null): Ref<boolean> {
  const found = ref(false)
  let turn = 0
  watch(
    () => [of()?.run, of()?.tag] as const,
    async ([run, tag]) => {
      const mine = ++turn
      found.value = false
      if (run === undefined || tag === undefined) return
      try {
        const tags = await tagsOf(run)
        if (mine === turn) found.value = tags.has(tag)
      } catch {
        // Without an answer there is no link; nothing else depends on it.
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => turn++)
  return found
}
