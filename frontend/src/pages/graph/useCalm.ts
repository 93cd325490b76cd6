/**
 * What stands beside the drawing follows it: the drawing answers a click first, and is not held up by what a panel has
 * to say. Called by the page.
 */
import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

/**
 * The drawing must rest for so long: between the clicks of a double click it does not. And so long is waited at most,
 * in ms.
 */
const REST = 40
const LONGEST = 300

/**
 * @param value what is followed
 * @param rests whether the drawing rests; where there is none, it does not hold anything up
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
