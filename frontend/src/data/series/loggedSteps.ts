/** Moves over steps that were actually logged, for the step cursor. Called by the cursor and by charts. */

/** Steps in order, such as columns of points. */
export interface Steps {
  readonly length: number
  readonly step: ArrayLike<number>
  /** Row of the last step up to a given step; -1 if there is none. */
  rowAt(step: number): number
}

/** The next logged step after `from` in any of the columns, or null. */
function after(columns: readonly Steps[], from: number): number | null {
  let best = Infinity
  for (const one of columns) {
    const row = one.rowAt(from) + 1
    if (row < one.length && one.step[row] > from) best = Math.min(best, one.step[row])
  }
  return best === Infinity ? null : best
}

/** The last logged step before `from` in any of the columns, or null. */
function before(columns: readonly Steps[], from: number): number | null {
  let best = -Infinity
  for (const one of columns) {
    const row = one.rowAt(from - 1)
    if (row >= 0) best = Math.max(best, one.step[row])
  }
  return best === -Infinity ? null : best
}

/**
 * The step `delta` logged steps away from `from`, at most the last one. Without data, steps are counted one by one.
 */
export function loggedStep(columns: readonly Steps[], from: number, delta: number): number {
  if (columns.every((one) => one.length === 0)) return from + delta
  const walk = delta > 0 ? after : before
  let here = from
  for (let left = Math.abs(delta); left > 0; left--) {
    const next = walk(columns, here)
    if (next === null) break
    here = next
  }
  return here
}
