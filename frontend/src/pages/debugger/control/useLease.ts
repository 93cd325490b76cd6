/** The remaining time of the pause, which counts down between messages of the training. Used by SessionPart.vue. */
import { computed } from 'vue'

import { useNow } from '../../../components/browser/clock'
import type { Watched } from '../data/session'

/** The limit in seconds below which the end is near. */
const SOON = 60

export function useLease(session: Watched) {
  const now = useNow(500)
  const lease = computed(() => (session.state?.status === 'PAUSED' ? session.state.lease : null))
  /** The remaining seconds; null for a pause without limit. */
  const left = computed(() => {
    if (!lease.value || lease.value.left < 0) return null
    if (lease.value.held) return lease.value.left
    return Math.max(0, lease.value.left - Math.max(0, now.value - session.stateAt) / 1000)
  })
  const text = computed(() => {
    if (left.value === null) return ''
    const whole = Math.ceil(left.value)
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
  })
  return { lease, left, text, soon: computed(() => left.value !== null && left.value < SOON && !lease.value?.held) }
}
