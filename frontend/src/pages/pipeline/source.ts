/**
 * The data pipelines of runs, kept current while the calling component lives: which runs have one, and one of them. New
 * records become known by the rows of runs, which arrive through the live socket. Called by the page.
 */
import { onScopeDispose, ref, watch, type Ref } from 'vue'

import { api, ask } from '../../data/api'
import { useHub } from '../../data/live/hub'
import type { components } from '../../data/schema'

export type Pipeline = components['schemas']['DataPipeline']
export type Operator = components['schemas']['DataOperator']
export type Fill = components['schemas']['Fill']
export type Finding = components['schemas']['Finding']
export type Summary = components['schemas']['PipelineSummary']
export type Span = 'recent' | 'whole'

/** A training records at most once a second. */
const AGAIN_AFTER = 1000

/** Recorded pipelines first, then files of MindSpore's profiler. */
export async function listPipelines(signal: AbortSignal): Promise<Summary[]> {
  const [recorded, files] = await Promise.all([
    ask(api.GET('/api/pipelines', { signal })),
    ask(api.GET('/api/pipelines/files', { signal })),
  ])
  return [...recorded.pipelines, ...files.pipelines]
}

export const readPipeline = (run: number, file: string, span: Span, signal: AbortSignal): Promise<Pipeline> =>
  ask(api.GET('/api/pipelines/show', { params: { query: { run, span, ...(file && { file }) } }, signal }))

/** The name of a run's input pipeline on the graph page; null if none is recorded. */
export async function graphOf(run: number, signal: AbortSignal): Promise<string | null> {
  const { sources } = await ask(api.GET('/api/graphs/sources', { params: { query: { runs: String(run) } }, signal }))
  return sources.find(({ kind }) => kind === 'dataset')?.graph ?? null
}

/**
 * A number that grows when something may be new, at most once a second.
 * @param what changes with the data
 */
export function useNews(what: () => unknown): Ref<number> {
  const version = ref(0)
  let timer: ReturnType<typeof setTimeout> | undefined
  function tell(): void {
    timer = undefined
    version.value++
  }
  watch(what, () => (timer ??= setTimeout(tell, AGAIN_AFTER)))
  const silence = useHub().listen({ storeChanged: tell })
  onScopeDispose(() => {
    clearTimeout(timer)
    silence()
  })
  return version
}
