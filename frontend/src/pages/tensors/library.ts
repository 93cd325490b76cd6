/**
 * Loaded data about the tensors of the visible runs, with dtype and shape of the newest ones. Made by the page; passed
 * to its parts.
 */
import { onScopeDispose, shallowReactive } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { useRecorded, type RecordedLibrary } from '../../recorded/library'

export type TensorHead = components['schemas']['TensorHead']

export interface Library extends RecordedLibrary {
  /** Dtype and shape of the newest tensor of the requested series. */
  heads: Map<number, TensorHead>
  /** Fetches missing dtypes and shapes. */
  wantHeads(series: readonly number[]): void
}

const HEADS_AT_ONCE = 100

/** Cache of dtypes and shapes; requests of one tick are sent together. */
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
      // A list without shapes is still useful; the next look tries again.
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
