/**
 * One graph as it is looked at: waits for its analysis, fetches the insides of boxes once, and ends what it asked for
 * when another graph is looked at or the page is left. Called by the page; given to its parts.
 */
import {
  onScopeDispose,
  ref,
  shallowReactive,
  shallowRef,
  watch,
  type Ref,
  type ShallowReactive,
  type ShallowRef,
} from 'vue'

import { ApiProblem } from '../data/types'
import { boxOf, indexOf, instanceOf, parentOf } from './paths'
import { wasLeft } from '../data/untilDone'
import type { Box, Inside, Overlay } from './answers'
import { askGraph, type Asked } from './requests'

export interface GraphModel {
  /** How the graph is asked for; null where none is chosen. */
  asked: ShallowRef<Asked | null>
  /** The top of the graph, once it is there. */
  root: ShallowRef<Inside | null>
  /** How far the analysis is, 0 to 1; null while none is waited for. */
  progress: Ref<number | null>
  problem: ShallowRef<ApiProblem | null>
  /** Insides that were fetched, by path. */
  insides: ShallowReactive<Map<string, Inside>>
  /** The inside of a box, fetched once; `ahead` of what lies around it where that surely has the box. */
  load(box: string, ahead?: boolean): Promise<Inside>
  /** A question about this graph, ended with it. */
  question<T extends object>(
    what: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal?: AbortSignal,
  ): Promise<T>
  /** The box of a path, where its container is known. */
  boxAt(path: string): Box | null
  retry(): void
}

/** @param colours what boxes are coloured by where the server says it, asked for along with them */
export function useGraph(wanted: () => Asked | null, colours: () => Overlay | null): GraphModel {
  const asked = shallowRef<Asked | null>(null)
  const root = shallowRef<Inside | null>(null)
  const progress = ref<number | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const insides = shallowReactive(new Map<string, Inside>())
  const loading = new Map<string, Promise<Inside>>()
  let looking = new AbortController()

  function question<T extends object>(
    what: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { signal: left } = looking
    const both = signal ? AbortSignal.any([left, signal]) : left
    return askGraph<T>(what, { ...asked.value, ...query }, both, (now) => (progress.value = now))
  }

  function load(box: string, ahead = false): Promise<Inside> {
    const known = loading.get(box)
    if (known) return known
    const { signal } = looking
    const fetched = async (): Promise<Inside> => {
      // What lies around it says whether there is such a box: another graph than the one that was open may not have it.
      if (box !== '' && !ahead) await load(parentOf(boxOf(box)))
      if (!ahead && !signal.aborted && !exists(box)) throw new ApiProblem('unknown_box', '', { box }, 404)
      const inside = await question<Inside>('inside', { box, by: colours() ?? undefined })
      if (!signal.aborted) insides.set(box, inside)
      return inside
    }
    const job = fetched()
    job.catch(() => signal.aborted || loading.delete(box))
    loading.set(box, job)
    return job
  }

  /** Whether a path leads to something that can be opened, as what lies around it tells. */
  function exists(path: string): boolean {
    if (path === '') return true
    const [box, instance] = [boxAt(path), instanceOf(path)]
    return box !== null && box.inside > 0 && (instance === null || instance < box.count)
  }

  async function begin(): Promise<void> {
    looking.abort()
    looking = new AbortController()
    const { signal } = looking
    loading.clear()
    insides.clear()
    root.value = problem.value = progress.value = null
    if (asked.value === null) return
    try {
      const top = await load('')
      if (!signal.aborted) root.value = top
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) problem.value = cause as ApiProblem
    }
    if (!signal.aborted) progress.value = null
  }

  const key = (): string => JSON.stringify(wanted())
  watch(
    key,
    () => {
      asked.value = wanted()
      void begin()
    },
    { immediate: true },
  )
  onScopeDispose(() => looking.abort())

  const boxAt = (path: string): Box | null => {
    const index = indexOf(path)
    return insides.get(parentOf(boxOf(path)))?.boxes.find((box) => box.index === index) ?? null
  }
  return { asked, root, progress, problem, insides, load, question, boxAt, retry: () => void begin() }
}
