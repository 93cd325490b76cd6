/**
 * Fills the parts beside the drawing after it, each in a task of its own. The drawing appears first, and the page stays
 * responsive. Called by the page.
 */
import { onScopeDispose, ref, watch, type Ref } from 'vue'

/** Timeout in ms after which the other parts no longer wait for the drawing. */
const LONGEST = 300

/**
 * @param drawn whether the drawing is there
 * @param parts number of parts beside it
 * @returns number of parts that may be filled
 */
export function useArrival(drawn: () => boolean, parts: number): Readonly<Ref<number>> {
  const arrived = ref(0)
  let timer = setTimeout(next, LONGEST)
  function next(): void {
    arrived.value++
    if (arrived.value < parts) timer = setTimeout(next)
  }
  watch(
    drawn,
    (now) => {
      if (!now || arrived.value > 0) return
      clearTimeout(timer)
      timer = setTimeout(next)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
  return arrived
}
