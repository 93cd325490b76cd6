/**
 * Delays the parts beside a page's cards (lists, the step strip, the live connection) until the first card shows
 * something: on a cold page each part would delay the first curve by some ten milliseconds. Set by main.ts, released by
 * the first card or by a page without cards, used by the shell.
 */
import { ref, watch, type Ref } from 'vue'

/** Maximum delay in milliseconds. */
const LATEST = 2000

const shown = ref(true)

/** Delays the parts beside the cards. */
export function holdBack(): void {
  shown.value = false
  setTimeout(letGo, LATEST)
}

/** The page shows something, or will not for now. */
export function letGo(): void {
  shown.value = true
}

/** Whether the parts beside the cards may be mounted. */
export const useFirstView = (): Readonly<Ref<boolean>> => shown

/** Runs an action after the delay; at once if there is none. */
export function afterFirstView(work: () => void): void {
  if (shown.value) work()
  else watch(shown, work, { once: true })
}
