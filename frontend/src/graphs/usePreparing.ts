/**
 * Fetches and lays out the boxes that will probably be opened next: the selected one and the one under the pointer.
 * Called by GraphCanvas.vue.
 */
import { onBeforeUnmount, watch } from 'vue'

import type { Scene } from './scene/scene'

/** Milliseconds that the pointer must rest on a box. */
const READY_AFTER = 50

/**
 * @param scene the scene, once there is one
 * @param chosen the selected box
 * @param over the box under the pointer
 * @returns the function for boxes that are pointed at elsewhere: takes their path, or null
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
