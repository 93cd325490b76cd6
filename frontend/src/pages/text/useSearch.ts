/** A search in all texts of the visible runs, which continues until there is enough to show. Called by the page. */
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'

import { api, ask } from '../../data/api'
import { useRuns } from '../../data/runs/runs'
import type { ApiProblem } from '../../data/types'
import type { Hit } from './library'

export interface Search {
  hits: ShallowRef<readonly Hit[]>
  /** Number of texts searched. */
  texts: Ref<number>
  unreadable: Ref<number>
  busy: Ref<boolean>
  /** Whether there is more to search. */
  more: Ref<boolean>
  problem: ShallowRef<ApiProblem | null>
  goOn(): void
}

const SETTLES = 250
/** Number of hits after which it waits for "more". */
const ENOUGH = 200

export function useSearch(words: () => string): Search {
  const runs = useRuns()
  const hits = shallowRef<readonly Hit[]>([])
  const texts = ref(0)
  const unreadable = ref(0)
  const busy = ref(false)
  const more = ref(false)
  const problem = shallowRef<ApiProblem | null>(null)
  let turn = 0
  let start: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function run(mine: number): Promise<void> {
    const enough = hits.value.length + ENOUGH
    busy.value = true
    problem.value = null
    try {
      do {
        const query = { words: words(), runs: [...runs.visible].join(','), ...(start === null ? {} : { start }) }
        const found = await ask(api.GET('/api/text/search', { params: { query } }))
        if (mine !== turn) return
        hits.value = [...hits.value, ...found.hits]
        texts.value += found.texts
        unreadable.value += found.unreadable
        start = found.next
      } while (start !== null && hits.value.length < enough)
    } catch (cause) {
      if (mine === turn) problem.value = cause as ApiProblem
    }
    if (mine !== turn) return
    more.value = start !== null
    busy.value = false
  }

  const shown = (): string => (runs.loaded ? [...runs.visible].sort((a, b) => a - b).join() : '')
  watch(
    [words, shown],
    ([wanted, visible]) => {
      clearTimeout(timer)
      const mine = ++turn
      hits.value = []
      texts.value = unreadable.value = 0
      start = null
      more.value = false
      busy.value = wanted.trim() !== '' && visible !== ''
      if (busy.value) timer = setTimeout(() => void run(mine), SETTLES)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(timer)
    turn++
  })
  return { hits, texts, unreadable, busy, more, problem, goOn: () => void run(++turn) }
}
