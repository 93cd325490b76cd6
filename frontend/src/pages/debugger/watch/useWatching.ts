/**
 * The watchpoints that are set, and changes to them. The training is told all of them with every change. Made by the
 * left pane.
 */
import { computed, shallowRef } from 'vue'

import type { Debugging } from '../context'
import { CommandProblem } from '../data/commands'
import type { Watched, Watchpoint } from '../data/messages'
import { useDebugger } from '../data/store'
import { newWatchpoint, nextId } from './conditions'

export function useWatching({ session, act, tensor }: Debugging) {
  const store = useDebugger()
  const watched = computed<readonly Watched[]>(() => session.watching?.watched ?? [])
  const watchpoints = computed(() => watched.value.map(({ watchpoint }) => watchpoint))
  /** The recommended watchpoints, each with its additional cost; null until requested. */
  const proposed = shallowRef<readonly Watched[] | null>(null)
  let asked = 0

  /** @param without ids of rejected watchpoints: shared costs are counted for the others alone */
  async function propose(without: readonly number[]): Promise<void> {
    const number = ++asked
    const reply = await act({ recommend: { without } })
    if (reply && number === asked) proposed.value = reply.recommended
  }

  /** @returns their problem, or null */
  async function set(all: readonly Watchpoint[]): Promise<CommandProblem | null> {
    try {
      await store.ask({ set_watchpoints: { watchpoints: all } })
      return null
    } catch (problem) {
      if (problem instanceof CommandProblem) return problem
      throw problem
    }
  }
  const put = (one: Watchpoint): Promise<CommandProblem | null> =>
    set(
      watchpoints.value.some(({ id }) => id === one.id)
        ? watchpoints.value.map((each) => (each.id === one.id ? one : each))
        : [...watchpoints.value, one],
    )
  const change = (id: number, changes: Partial<Watchpoint>): Promise<unknown> =>
    act({
      set_watchpoints: {
        watchpoints: watchpoints.value.map((each) => (each.id === id ? { ...each, ...changes } : each)),
      },
    })
  const remove = (id: number): Promise<unknown> =>
    act({ set_watchpoints: { watchpoints: watchpoints.value.filter((each) => each.id !== id) } })

  /** Watches the chosen node for values that are not finite, or stops watching it. */
  function toggleChosen(): unknown {
    const node = tensor.value?.full_name
    if (node === undefined || !session.connected) return false
    const own = watchpoints.value.find(
      ({ targets: { nodes, kinds, patterns } }) =>
        nodes.length === 1 && nodes[0] === node && !kinds.length && !patterns.length,
    )
    return own
      ? remove(own.id)
      : act({
          set_watchpoints: {
            watchpoints: [...watchpoints.value, newWatchpoint(nextId(watchpoints.value), 'tensor_overflow', [node])],
          },
        })
  }
  const armed = computed(() => watchpoints.value.filter(({ enabled }) => enabled).length)
  return { watched, watchpoints, armed, proposed, propose, set, put, change, remove, toggleChosen }
}
export type Watching = ReturnType<typeof useWatching>
