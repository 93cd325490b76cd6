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
  /** Statistics by the tensor's name; empty if nothing was measured here. */
  of: ComputedRef<ReadonlyMap<string, Statistics>>
  busy: Ref<boolean>
  measure(): Promise<void>
}

const NOTHING: ReadonlyMap<string, Statistics> = new Map()

export function useHealth(session: Watched, act: (action: Action) => Promise<Reply | null>): Health {
  const measured = shallowRef<{ where: string; of: ReadonlyMap<string, Statistics> } | null>(null)
  const busy = ref(false)
  /** The position of the training; null while it runs. */
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
  // Kept statistics of the step cost nothing; only a person may run the step again.
  watch(
    [where, () => session.state?.has_current],
    ([here, kept]) => {
      if (here !== null && kept && session.connected) void measure()
      // The shown tensor is requested first.
    },
    { immediate: true, flush: 'post' },
  )
  return {
    of: computed(() => (measured.value && measured.value.where === where.value ? measured.value.of : NOTHING)),
    busy,
    measure,
  }
}
