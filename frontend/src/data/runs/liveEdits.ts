/**
 * Changes of settings during the training of some runs, kept up to date while the calling component lives.
 */
import { computed, onScopeDispose, shallowRef, watch } from 'vue'

import { api, ask } from '../api'
import { useHub } from '../live/hub'
import { whenIdle } from '../idle'
import { wireFloat } from '../rows'
import { useRuns } from './runs'
import type { components } from '../schema'

type WireEdit = components['schemas']['LiveEdit']

/** One change of one setting; see `Moment` of the charts. */
export interface LiveEdit {
  step: number
  wall: number
  change: { name: string; before: WireEdit['before']; after: WireEdit['after'] }
}

export interface LiveEdits {
  /** The changes of a run, in order of steps; may be empty for runs that were not requested. */
  of(run: number): readonly LiveEdit[]
}

const NONE: readonly LiveEdit[] = []
const AGAIN_AFTER = 1000

function byRun(edits: readonly WireEdit[]): ReadonlyMap<number, readonly LiveEdit[]> {
  const found = new Map<number, LiveEdit[]>()
  for (const { run, step, wall_time: wall, name, before, after, error } of edits) {
    // The list of runs reports unreadable records.
    if (error) continue
    const own = found.get(run) ?? []
    own.push({ step, wall: wireFloat(wall), change: { name, before, after } })
    found.set(run, own)
  }
  return found
}

/** @param wanted numbers of the runs */
export function useLiveEdits(wanted: () => Iterable<number>): LiveEdits {
  const runs = useRuns()
  const known = shallowRef<ReadonlyMap<number, readonly LiveEdit[]>>(new Map())
  let said = ''
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const mine = ++turn
    const numbers = [...wanted()]
    try {
      const query = { runs: numbers.join() }
      const { edits } = numbers.length ? await ask(api.GET('/api/runs/edits', { params: { query } })) : { edits: [] }
      const text = JSON.stringify(edits)
      if (mine !== turn || text === said) return
      said = text
      known.value = byRun(edits)
    } catch {
      // The shown changes stay. The connection bar reports the problem.
    }
  }

  const asked = computed(() => new Set(runs.loaded ? wanted() : []))
  // Curves come first.
  watch(
    () => [...asked.value].sort().join(),
    () => whenIdle(() => void load()),
    { immediate: true },
  )
  // Rows of runs change with every recorded value, so this requests at most once a second.
  const news = (): string =>
    runs.rows.map((run) => (asked.value.has(run.number) ? `${run.number}:${run.bytesRead}` : '')).join()
  watch(news, () => (timer ??= setTimeout(() => void load(), AGAIN_AFTER)))
  const silence = useHub().listen({ storeChanged: () => void load() })
  onScopeDispose(() => {
    clearTimeout(timer)
    silence()
    turn++
  })
  return { of: (run) => known.value.get(run) ?? NONE }
}
