/** The time of day as a reference that ticks while somebody looks: for ages and countdowns. */
import { onScopeDispose, ref, type Ref } from 'vue'

/**
 * @param every milliseconds between two ticks
 * @returns milliseconds since 1970; stands still while the page is hidden
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
