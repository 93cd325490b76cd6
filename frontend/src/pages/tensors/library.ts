/**
 * What is known of the tensors of the visible runs, and the types and shapes of the newest. Made by the page; given to
 * its parts.
 */
import { onScopeDispose, shallowReactive } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { useRecorded, type RecordedLibrary } from '../../recorded/library'

export type TensorHead = components['schemas']['TensorHead']

export interface Library extends RecordedLibrary {
  /** Type and shape of the newest tensor of series that were asked for. */
  heads: Map<number, TensorHead>
  /** Fetches what is not known of types and shapes. */
  wantHeads(series: readonly number[]): void
}

const HEADS_AT_ONCE = 100

/** Keeps types and shapes; those that are wanted in one turn are asked for together. */
function useHeads() {
  const heads = shallowReactive(new Map<number, TensorHead>())
  const asked = new Set<number>()
  const waiting = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetchHeads(): Promise<void> {
    const numbers = [...waiting].slice(0, HEADS_AT_ONCE)
    numbers.forEach((number) => waiting.delete(number))
    timer = waiting.size ? setTimeout(() => void fetchHeads()) : undefined
    try {
      const answer = await ask(api.GET('/api/tensors/heads', { params: { query: { series: numbers.join(',') } } }))
      for (const head of answer.heads) heads.set(head.series, head)
    } catch {
      // A list without shapes is still a list: the next look asks again.
      numbers.forEach((number) => asked.delete(number))
    }
  }
  function wantHeads(series: readonly number[]): void {
    for (const number of series) {
      if (asked.has(number)) continue
      asked.add(number)
      waiting.add(number)
    }
    if (waiting.size) timer ??= setTimeout(() => void fetchHeads(), 20)
  }
  function forget(): void {
    heads.clear()
    asked.clear()
    waiting.clear()
  }
  onScopeDispose(() => clearTimeout(timer))
  return { heads, wantHeads, forget }
}

export function useLibrary(): Library {
  const { heads, wantHeads, forget } = useHeads()
  return { ...useRecorded('tensors', forget), heads, wantHeads }
}
