/** Puts off what nobody waits for until the browser has nothing better to do. Called by stores. */

/** What is put off is done within this many milliseconds all the same. */
const LATEST = 2000

export function whenIdle(work: () => void): void {
  // Safari has no such callback yet.
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work, { timeout: LATEST })
  else setTimeout(work, LATEST / 4)
}
