/**
 * The shown graph: waits for its analysis, fetches the insides of boxes once, and aborts its requests when another
 * graph is shown or the page is left. Called by the page and passed to its parts.
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
  /** The parameters of the graph; null if none is selected. */
  asked: ShallowRef<Asked | null>
  /** The top of the graph, once it is there. */
  root: ShallowRef<Inside | null>
  /** Progress of the analysis, 0 to 1; null while not waiting. */
  progress: Ref<number | null>
  problem: ShallowRef<ApiProblem | null>
  /** Fetched insides by path. */
  insides: ShallowReactive<Map<string, Inside>>
  /** The inside of a box, fetched once; `ahead` of the outer boxes if they surely contain the box. */
  load(box: string, ahead?: boolean): Promise<Inside>
  /** A request about this graph, aborted with it. */
  question<T extends object>(
    what: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal?: AbortSignal,
  ): Promise<T>
  /** The box of a path, if its container is known. */
  boxAt(path: string): Box | null
  retry(): void
}

/** @param colours the server's kind of colours, requested together with the boxes */
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
      // The outer box says whether the box exists; another graph than the last one may not have it.
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

  /** Whether a path leads to a box that can be opened, according to the outer box. */
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
