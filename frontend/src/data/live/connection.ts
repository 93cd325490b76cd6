/** The state of the live connection, shown by the step strip, the health bar and the heads of charts. */
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import { afterFirstView } from '../firstView'
import { useHub } from './hub'
import type { LivePhase } from './live'
import type { DiskTrouble, Health } from '../types'

/** The age of the last message is shown in tenths of a second. Faster changes are unreadable. */
const HEARD_EVERY = 100

export const useConnection = defineStore('connection', () => {
  const hub = useHub()
  const phase = ref<LivePhase>('connecting')
  const lostSince = ref<number | null>(null)
  const retryAt = ref<number | null>(null)
  const closeCode = ref<number | null>(null)
  const reader = ref<Health>('ok')
  const broker = ref<Health>('ok')
  const disk = shallowRef<DiskTrouble | null>(null)
  const healthSince = ref<number | null>(null)
  const lastFrameAt = ref<number | null>(null)
  const trouble = ref<string | null>(null)

  hub.listen({
    state(state) {
      phase.value = state.phase
      lostSince.value = state.lostSince
      retryAt.value = state.retryAt
      closeCode.value = state.closeCode
    },
    health(message) {
      reader.value = message.reader
      broker.value = message.broker
      disk.value = message.disk ?? null
      healthSince.value = message.since * 1000
    },
    heard() {
      const now = Date.now()
      if (now - (lastFrameAt.value ?? 0) >= HEARD_EVERY) lastFrameAt.value = now
    },
    trouble(message) {
      trouble.value = message
    },
  })
  // The first data of pages arrives by other requests. The first message, with all runs once more, must not come
  // before the first curve.
  afterFirstView(() => hub.live.open())

  return {
    phase,
    lostSince,
    retryAt,
    closeCode,
    reader,
    broker,
    disk,
    healthSince,
    lastFrameAt,
    trouble,
    retryNow: hub.live.retryNow,
  }
})
