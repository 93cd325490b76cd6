/**
 * Statistics of all nodes of the paused step: asked for once per place where the training stands. Made with the page's
 * context.
 */
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'

import type { Action } from '../data/commands'
import type { Reply } from '../data/link'
import { nameOf, type Statistics } from '../data/messages'
import type { Watched } from '../data/session'

export interface Health {
  /** By the tensor's name; empty where nothing was measured here. */
  of: ComputedRef<ReadonlyMap<string, Statistics>>
  busy: Ref<boolean>
  measure(): Promise<void>
}

const NOTHING: ReadonlyMap<string, Statistics> = new Map()

export function useHealth(session: Watched, act: (action: Action) => Promise<Reply | null>): Health {
  const measured = shallowRef<{ where: string; of: ReadonlyMap<string, Statistics> } | null>(null)
  const busy = ref(false)
  /** Where the training stands; null while it runs. */
  const where = computed(() => {
    const { state } = session
    return state?.status === 'PAUSED'
      ? `${state.step} ${state.within_step} ${state.node_number} ${state.mode} ${state.reason}`
      : null
  })
  async function measure(): Promise<void> {
    const here = where.value
    if (here === null || busy.value || measured.value?.where === here) return
    busy.value = true
    const reply = await act({ health: {} })
    busy.value = false
    if (reply) measured.value = { where: here, of: new Map(reply.statistics.map((one) => [nameOf(one.tensor), one])) }
  }
  // What the step kept costs nothing to look at; to run it again is for a person to say.
  watch(
    [where, () => session.state?.has_current],
    ([here, kept]) => {
      if (here !== null && kept && session.connected) void measure()
      // The tensor that is looked at is asked for first.
    },
    { immediate: true, flush: 'post' },
  )
  return {
    of: computed(() => (measured.value && measured.value.where === where.value ? measured.value.of : NOTHING)),
    busy,
    measure,
  }
}
