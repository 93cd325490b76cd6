/**
 * The runs whose steps wait for data, kept up to date while the calling component lives. The runs page provides them to
 * its rows and its panel.
 */
import { onScopeDispose, shallowRef, watch, type InjectionKey } from 'vue'

import { api, ask } from '../api'
import { whenIdle } from '../idle'
import { useHub } from '../live/hub'
import { useRuns } from './runs'

export interface DataBound {
  /** The share of its steps' time that a run waits for data, 0 to 1; null if that is little or unknown. */
  of(run: number): number | null
}

export const DATA_BOUND: InjectionKey<DataBound> = Symbol('data-bound')
export const NOT_KNOWN: DataBound = { of: () => null }
/** A share of a long training changes slowly. */
const AGAIN_AFTER = 5000

export function useDataBound(): DataBound {
  const runs = useRuns()
  const shares = shallowRef<ReadonlyMap<number, number>>(new Map())
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const mine = ++turn
    try {
      const { pipelines } = await ask(api.GET('/api/pipelines'))
      if (mine !== turn) return
      shares.value = new Map(
        pipelines.flatMap(({ run, waiting, data_bound: bound }) => (bound && waiting !== null ? [[run, waiting]] : [])),
      )
    } catch {
      // The marks stay. The connection bar reports the problem.
    }
  }

  // The rows come first.
  watch(
    () => runs.loaded,
    (loaded) => loaded && whenIdle(() => void load()),
    { immediate: true },
  )
  const news = (): number => runs.rows.reduce((sum, { bytesRead }) => sum + bytesRead, runs.rows.length)
  watch(news, () => (timer ??= setTimeout(() => void load(), AGAIN_AFTER)))
  const silence = useHub().listen({ storeChanged: () => void load() })
  onScopeDispose(() => {
    clearTimeout(timer)
    silence()
    turn++
  })
  return { of: (run) => shares.value.get(run) ?? null }
}
