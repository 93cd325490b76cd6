/**
 * Becomes true after 150 ms. Placeholders are drawn only then, so quick answers never
 * flicker.
 */
import { onBeforeUnmount, ref, type Ref } from 'vue'

const LATE_AFTER = 150

export function useLate(): Ref<boolean> {
  const late = ref(false)
  const timer = window.setTimeout(() => (late.value = true), LATE_AFTER)
  onBeforeUnmount(() => window.clearTimeout(timer))
  return late
}
