/**
 * What stands beside a page's cards (lists, the step strip, the live connection) waits until the first of them shows
 * something: on a cold page each costs the first curve some ten milliseconds. Held by main.ts, let go by the first card
 * or by whoever knows that none comes, asked by the shell.
 */
import { ref, watch, type Ref } from 'vue'

/** Nothing is held for longer than so many milliseconds. */
const LATEST = 2000

const shown = ref(true)

/** Makes what stands beside the cards wait. */
export function holdBack(): void {
  shown.value = false
  setTimeout(letGo, LATEST)
}

/** The page shows something, or will not for now. */
export function letGo(): void {
  shown.value = true
}

/** Whether what stands beside the cards may be put up. */
export const useFirstView = (): Readonly<Ref<boolean>> => shown

/** Does something once nothing waits for it any more; at once where nothing is held. */
export function afterFirstView(work: () => void): void {
  if (shown.value) work()
  else watch(shown, work, { once: true })
}
