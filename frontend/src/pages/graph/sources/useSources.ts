/**
 * The list of graphs, kept current: those of all runs, visible runs first. With very many runs it holds only the
 * visible ones, until a link names another run. Called by the page.
 */
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'

import { useHub } from '../../../data/live/hub'
import { useRuns } from '../../../data/runs/runs'
import type { ApiProblem } from '../../../data/types'
import { wasLeft } from '../../../data/untilDone'
import type { Source } from '../../../graphs/answers'
import { askGraph } from '../../../graphs/requests'

const REFRESH_AFTER = 1000
const MANY_RUNS = 200

/** @param wanted the graph named in the address */
export function useSources(wanted: () => string | null) {
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
    const ask = async (query: Record<string, string>): Promise<Source[]> =>
      (await askGraph<{ sources: Source[] }>('sources', query, signal)).sources
    try {
      const few = runs.rows.length <= MANY_RUNS
      let found = few || !runs.visible.size ? await ask({}) : await ask({ runs: [...runs.visible].join(',') })
      const named = wanted()
      if (!few && named !== null && !found.some((one) => holds(one, named))) found = await ask({})
      if (signal.aborted) return
      found = [...found.filter((one) => runs.isVisible(one.run)), ...found.filter((one) => !runs.isVisible(one.run))]
      if (JSON.stringify(found) !== JSON.stringify(sources.value)) sources.value = found
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) error.value = cause as ApiProblem
    }
  }

  const shown = (): string => (runs.loaded ? [...runs.visible].sort((a, b) => a - b).join() : '')
  watch(shown, () => void (runs.loaded && reload()), { immediate: true })
  // Rows change with every recorded point, so this asks at most once a second, and only while somebody looks.
  const news = (): string =>
    runs.rows.map((run) => (runs.isVisible(run.number) ? `${run.number}:${run.bytesRead}` : '')).join()
  watch(news, () => (timer ??= setTimeout(() => void reload(), REFRESH_AFTER)))
  const silence = useHub().listen({ storeChanged: () => void reload() })
  onScopeDispose(() => {
    clearTimeout(timer)
    asking.abort()
    silence()
  })

  /** Sources that are opened directly: each pass of a history is one. */
  const graphs = computed(() => sources.value.flatMap((one) => one.passes ?? [{ graph: one.graph, name: one.name }]))
  /** The source that a graph belongs to. */
  const sourceOf = (graph: string | null): Source | undefined =>
    graph === null ? undefined : sources.value.find((one) => holds(one, graph))
  return { sources, graphs, sourceOf, loaded, error, reload }
}

const holds = (source: Source, graph: string): boolean =>
  source.graph === graph || Boolean(source.passes?.some((pass) => pass.graph === graph))

export type Sources = ReturnType<typeof useSources>
