/**
 * What stands beside the drawing is filled after it, each part in a task of its own: so the drawing is seen first, and
 * nobody waits long for the page to answer. Called by the page.
 */
import { onScopeDispose, ref, watch, type Ref } from 'vue'

/** Where nothing comes to be drawn for so long, in ms, the rest is not held back. */
const LONGEST = 300

/**
 * @param drawn whether what comes first is there
 * @param parts how many come after it
 * @returns how many of them may be filled
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
