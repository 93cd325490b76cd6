/** The text of a file of the program, requested once from the training. Used by the source card. */
import { shallowReactive, watch, type ComputedRef } from 'vue'

import { CommandProblem } from '../data/commands'
import { useDebugger } from '../data/store'

export interface Source {
  lines: readonly string[] | null
  problem: CommandProblem | null
}

export function useSource(file: ComputedRef<string>, there: () => boolean) {
  const store = useDebugger()
  const known = shallowReactive(new Map<string, Source>())
  async function read(name: string): Promise<void> {
    known.set(name, { lines: null, problem: null })
    try {
      const { text } = await store.ask({ read_source: { file: name } }, false)
      known.set(name, { lines: text.split('\n'), problem: null })
    } catch (problem) {
      if (!(problem instanceof CommandProblem)) throw problem
      known.set(name, { lines: null, problem })
    }
  }
  watch(
    [file, there],
    ([name, now]) => {
      if (name && now && (!known.has(name) || known.get(name)?.problem)) void read(name)
    },
    { immediate: true },
  )
  return known
}
