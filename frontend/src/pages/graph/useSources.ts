/** The graphs of the visible runs, kept current. Called by the page. */
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'

import { useHub } from '../../data/hub'
import { useRuns } from '../../data/runs'
import type { ApiProblem } from '../../data/types'
import type { Source } from './answers'
import { askGraph, wasLeft } from './requests'

const REFRESH_AFTER = 1000

export function useSources() {
  const runs = useRuns()
  const sources = shallowRef<readonly Source[]>([])
  const loaded = ref(false)
  const error = shallowRef<ApiProblem | null>(null)
  let asking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function reload(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    try {
      const found = runs.visible.size ? await askGraph<{ sources: Source[] }>('sources', { runs: [...runs.visible].join(',') }, signal) : { sources: [] }
      if (signal.aborted) return
      if (JSON.stringify(found.sources) !== JSON.stringify(sources.value)) sources.value = found.sources
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) error.value = cause as ApiProblem
    }
  }

  const shown = (): string => (runs.loaded ? [...runs.visible].sort((a, b) => a - b).join() : '')
  watch(shown, () => void (runs.loaded && reload()), { immediate: true })
  // Rows of runs change with whatever is recorded: this asks once a second at most.
  const news = (): string => runs.rows.map((run) => (runs.isVisible(run.number) ? `${run.number}:${run.bytesRead}` : '')).join()
  watch(news, () => (timer ??= setTimeout(() => void reload(), REFRESH_AFTER)))
  const silence = useHub().listen({ storeChanged: () => void reload() })
  onScopeDispose(() => {
    clearTimeout(timer)
    asking.abort()
    silence()
  })

  /** Those that open as they are: the passes of a history one by one. */
  const graphs = computed(() => sources.value.flatMap((one) => one.passes ?? [{ graph: one.graph, name: one.name }]))
  /** The source that a graph belongs to. */
  const sourceOf = (graph: string | null): Source | undefined =>
    graph === null ? undefined : sources.value.find((one) => one.graph === graph || one.passes?.some((pass) => pass.graph === graph))
  return { sources, graphs, sourceOf, loaded, error, reload }
}

export type Sources = ReturnType<typeof useSources>
