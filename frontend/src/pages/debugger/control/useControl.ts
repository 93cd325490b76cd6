/** The actions of the bar, the keys and the palette on the training. Made by SessionView.vue. */
import { computed, ref, watch } from 'vue'

import { useToasts } from '../../../components/feedback/toasts'
import type { Debugging } from '../context'
import type { Mode } from '../data/commands'

export type Ending = 'stop' | 'stopAndSave' | 'detach'
export const ENDINGS: readonly Ending[] = ['stop', 'stopAndSave', 'detach']

export function useControl({ session, act, paused, obstacle, tensor }: Debugging) {
  /** The number of steps per press of the button. */
  const steps = ref(1)
  const toasts = useToasts()
  const running = computed(() => session.state?.status === 'RUNNING')
  const able = computed(() => obstacle.value === null)
  /** The step in which a pause was requested, until the pause begins. */
  const askedAt = ref<number | null>(null)
  const pausing = computed(() => running.value && askedAt.value !== null)
  watch(
    () => session.state?.status,
    (status) => {
      if (status !== 'RUNNING') askedAt.value = null
    },
  )
  async function pause(): Promise<void> {
    askedAt.value = session.state?.step ?? 0
    if (!(await act({ pause: { now: true } }))) askedAt.value = null
  }
  /** The answer may say how long the next step compiles. */
  async function switchTo(next: Mode): Promise<void> {
    const reply = await act({ set_mode: { mode: next } })
    if (reply?.message) toasts.show(reply.message)
  }
  /** False means "not now": a key keeps its usual meaning. */
  const when = (possible: boolean, work: () => unknown): unknown => (possible && able.value ? work() : false)
  const mode = computed<Mode>(() => (session.state?.mode === 'pynative' ? 'pynative' : 'graph'))
  /** A dump is a training that is over, in the mode in which it ran (mindinsight/dumps/session.py). */
  const canSwitch = computed(() => session.row?.device !== 'dump')
  const otherMode = computed<Mode>(() => (mode.value === 'graph' ? 'pynative' : 'graph'))

  return {
    steps,
    running,
    pausing,
    able,
    mode,
    otherMode,
    canSwitch,
    goOn: () => when(paused.value, () => act({ go_on: {} })),
    pause: () => when(running.value, pause),
    goOnOrPause: () => when(paused.value || running.value, () => (running.value ? pause() : act({ go_on: {} }))),
    step: () => when(paused.value, () => act({ step: { steps: steps.value } })),
    nextNode: () => when(paused.value, () => act({ next_node: {} })),
    nextLine: (over: boolean) => when(paused.value, () => act({ next_line: { over } })),
    runToNode: () =>
      when(paused.value && tensor.value !== null, () =>
        act({ run_to_node: { full_name: tensor.value?.full_name ?? '' } }),
      ),
    /** If an action is impossible, the training returns the reason. */
    runAgain: (again?: Mode) =>
      when(paused.value && (!again || canSwitch.value), () => act({ run_again: again ? { mode: again } : {} })),
    setMode: (next: Mode) => when(canSwitch.value && next !== mode.value, () => switchTo(next)),
    recheck: () => when(paused.value, () => act({ recheck: {} })),
    end: (how: Ending) =>
      when(true, () => act(how === 'detach' ? { detach: {} } : { stop: { save: how === 'stopAndSave' } })),
  }
}
export type Control = ReturnType<typeof useControl>
