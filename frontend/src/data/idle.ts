/**
 * Delays work that nobody waits for until the browser is idle, and divides long work. Called by
 * stores.
 */

/** Delayed work is done within this many milliseconds at the latest. */
const LATEST = 2000

export function whenIdle(work: () => void): void {
  // Safari has no such callback yet.
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work, { timeout: LATEST })
  else setTimeout(work, LATEST / 4)
}

/** Lets the browser draw and answer before the next piece. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve))
}
