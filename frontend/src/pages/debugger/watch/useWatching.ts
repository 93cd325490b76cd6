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
  /** What the training would watch, each with what it takes beside the others; null until it was asked. */
  const proposed = shallowRef<readonly Watched[] | null>(null)
  let asked = 0

  /** @param without ids of those that are not wanted: what the others share is counted for these alone */
  async function propose(without: readonly number[]): Promise<void> {
    const number = ++asked
    const reply = await act({ recommend: { without } })
    if (reply && number === asked) proposed.value = reply.recommended
  }

  /** @returns what is wrong with them, or null */
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

  /** Watches the chosen node for what is not finite, or watches it no more. */
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
