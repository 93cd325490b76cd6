/**
 * What will be opened next, most likely, is fetched and laid out before: what is chosen or under the pointer. Called by
 * GraphCanvas.vue.
 */
import { onBeforeUnmount, watch } from 'vue'

import type { Scene } from './scene/scene'

/** The pointer must rest on a box for so long, in ms. */
const READY_AFTER = 50

/**
 * @param scene what is drawn, once there is something
 * @param chosen the selected box
 * @param over the box under the pointer
 * @returns for boxes that are pointed at elsewhere: their path, null when they are left
 */
export function usePreparing(
  scene: () => Scene | null,
  chosen: () => string | null,
  over: () => string | null,
): (path: string | null) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  function expect(path: string | null, after = READY_AFTER): void {
    clearTimeout(timer)
    if (path !== null) timer = setTimeout(() => void scene()?.prepare(path), after)
  }
  watch([chosen, over], ([now, pointed], [before]) =>
    expect(now === before ? pointed : now, now === before ? READY_AFTER : 0),
  )
  onBeforeUnmount(() => clearTimeout(timer))
  return expect
}
