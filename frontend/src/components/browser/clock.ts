/** The current time as a reference that ticks while the page is visible: for ages and countdowns. */
import { onScopeDispose, ref, type Ref } from 'vue'

/**
 * @param every milliseconds between two ticks
 * @returns milliseconds since 1970; does not change while the page is hidden
 */
export function useNow(every: number): Readonly<Ref<number>> {
  const now = ref(Date.now())
  const tick = (): void => {
    if (!document.hidden) now.value = Date.now()
  }
  const timer = window.setInterval(tick, every)
  document.addEventListener('visibilitychange', tick)
  onScopeDispose(() => {
    window.clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  })
  return now
}
