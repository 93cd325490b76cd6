/**
 * Puts off what nobody waits for until the browser has nothing better to do, and divides what is long. Called by
 * stores.
 */

/** What is put off is done within this many milliseconds all the same. */
const LATEST = 2000

export function whenIdle(work: () => void): void {
  // Safari has no such callback yet.
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work, { timeout: LATEST })
  else setTimeout(work, LATEST / 4)
}

/** The browser may draw and answer before what comes next. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve))
}
