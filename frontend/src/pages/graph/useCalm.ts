/**
 * Delays updates beside the drawing: the drawing answers a click first and does not wait for a panel. Called by the
 * page.
 */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

/** How long the drawing must be idle (during a double click it is not), and the longest wait. In ms. */
const REST = 40
const LONGEST = 300

/**
 * @param value the value to follow
 * @param rests whether the drawing is idle; without a drawing nothing waits
 */
export function useCalm<T>(value: () => T, rests: () => boolean): Readonly<ShallowRef<T>> {
  const shown = shallowRef(value())
  let timer: ReturnType<typeof setTimeout> | undefined
  let since: number | null = null
  function take(): void {
    since = null
    shown.value = value()
  }
  watch([value, rests], () => {
    clearTimeout(timer)
    if (Object.is(value(), shown.value)) {
      since = null
      return
    }
    since ??= performance.now()
    timer = setTimeout(take, rests() ? REST : Math.max(0, since + LONGEST - performance.now()))
  })
  onScopeDispose(() => clearTimeout(timer))
  return shown
}
