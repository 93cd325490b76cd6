/** Exports of runs: archives that a worker writes, polled while one is not done. Used by the page of runs. */
import { computed, onBeforeUnmount, shallowRef } from 'vue'

import { api, ask, pageBase, tell } from './api'
import type { components } from './schema'

export type RunsExport = components['schemas']['Export']
export type ExportTarget = RunsExport['format']

export const EXPORT_TARGETS: readonly ExportTarget[] = ['csv', 'parquet', 'tensorboard', 'mindspore']
const LOOK_AFTER = 1000

/** The address of an export's archive. */
export const archiveAddress = (id: string): string => `${pageBase()}/api/exports/${id}/file`

/** All exports, kept up to date while the component lives. All promises reject with an ApiProblem. */
export function useExports() {
  const all = shallowRef<readonly RunsExport[]>([])
  const working = computed(() => all.value.some(({ state }) => state === 'waiting' || state === 'writing'))
  let timer = 0

  async function load(): Promise<void> {
    window.clearTimeout(timer)
    all.value = (await ask(api.GET('/api/exports'))).exports
    if (working.value) look()
  }
  /** A dashboard that is away for a moment is asked again. */
  function look(): void {
    timer = window.setTimeout(() => load().catch(look), LOOK_AFTER)
  }
  async function begin(runs: readonly number[], target: ExportTarget): Promise<void> {
    await ask(api.POST('/api/exports', { body: { runs: [...runs], format: target } }))
    await load()
  }
  async function remove(id: string): Promise<void> {
    await tell(api.DELETE('/api/exports/{uid}', { params: { path: { uid: id } } }))
    await load()
  }
  onBeforeUnmount(() => window.clearTimeout(timer))
  return { all, load, begin, remove }
}
