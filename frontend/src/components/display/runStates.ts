/** The sign and tone of each state of a run; its word is `components.state.*`. */
import type { RunState } from '../../data/types'
import type { IconName } from './icons'

export interface StateSign {
  icon: IconName
  tone: 'ok' | 'mut' | 'warn' | 'err'
}

export const STATE_SIGNS: Record<RunState, StateSign> = {
  running: { icon: 'play', tone: 'ok' },
  finished: { icon: 'check', tone: 'mut' },
  stalled: { icon: 'clock', tone: 'warn' },
  crashed: { icon: 'close', tone: 'err' },
}
