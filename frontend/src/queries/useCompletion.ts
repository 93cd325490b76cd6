/** Completions of a query at the caret: names from the server, states and operators from here. For QueryField.vue. */
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'

import { api, ask } from '../data/api'
import type { components } from '../data/schema'
import { completingAt, STATES, type Completing } from './queryTokens'

type Name = components['schemas']['Name']
export interface Completion {
  text: string
  /** Its kind, as a key of the texts. */
  kind: Name['kind'] | 'sign' | 'state'
  /** Number of runs that have it. */
  runs: number | null
  /** The text that it inserts. */
  written: string
}

const MOST = 10
const ASK_AFTER = 60
const SIGNS = ['<', '<=', '>', '>=', '=', '!=', '~', 'in (']

export interface Completions {
  list: ComputedRef<readonly Completion[]>
  place: ComputedRef<Completing>
}

export function useCompletion(query: Ref<string>, caret: Ref<number>, open: Ref<boolean>): Completions {
  const place = computed(() => completingAt(query.value, caret.value))
  const names = shallowRef<readonly Name[]>([])
  const namesFor = ref<string | null>(null)
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  watch([() => place.value.typed, () => place.value.wanted, open], ([typed, wanted, isOpen]) => {
    clearTimeout(timer)
    if (!isOpen || (wanted !== 'names' && wanted !== 'tags')) return
    timer = setTimeout(() => void fetchNames(typed, wanted === 'tags' ? 100 : MOST), ASK_AFTER)
  })

  async function fetchNames(prefix: string, limit: number): Promise<void> {
    const mine = ++turn
    try {
      const answer = await ask(api.GET('/api/runs/search/names', { params: { query: { prefix, limit } } }))
      if (mine !== turn) return
      names.value = answer.names
      namesFor.value = prefix
    } catch {
      // A query can be typed without completion; the connection bar reports the problem.
    }
  }

  const list = computed<Completion[]>(() => {
    const { typed, wanted } = place.value
    const fits = (text: string): boolean => text.toLowerCase().startsWith(typed.toLowerCase())
    if (wanted === 'signs')
      return SIGNS.map((text) => ({ text, kind: 'sign' as const, runs: null, written: `${text} ` }))
    if (wanted === 'states')
      return STATES.filter(fits).map((text) => ({ text, kind: 'state' as const, runs: null, written: text }))
    if (wanted === 'nothing' || namesFor.value === null) return []
    const wantedNames = names.value.filter(
      (one) => (wanted === 'tags' ? one.kind === 'tag' : true) && one.name.toLowerCase().includes(typed.toLowerCase()),
    )
    return wantedNames.slice(0, MOST).map(({ name, kind, runs, written }) => ({
      text: name,
      kind,
      runs,
      written: wanted === 'tags' ? written.replace(/^tag:/, '') : written,
    }))
  })
  return { list, place }
}
