/** All recorded values of one tag of one run, ordered by step over its series. Pure. */

/** One series with its steps in ascending order. */
export interface Part {
  series: number
  segment: number
  steps: readonly number[]
}

/** One recorded value. */
export interface Entry {
  series: number
  index: number
  step: number
}

/**
 * Index of the last of `count` places whose step is not above `step`, -1 if all are; steps never fall from place to
 * place.
 */
function lastUpTo(count: number, stepAt: (place: number) => number, step: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (stepAt(middle) <= step) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The last row whose step is not above `step`, -1 if all are. */
export function rowAt(steps: ArrayLike<number>, step: number): number {
  return lastUpTo(steps.length, (row) => steps[row], step)
}

/** Joins series. A newer segment replaces the older ones from its first step on. */
export function makeTimeline(parts: readonly Part[]): Entry[] {
  let entries: Entry[] = []
  const segments = [...new Set(parts.map((part) => part.segment))].sort((a, b) => a - b)
  for (const segment of segments) {
    const news = parts
      .filter((part) => part.segment === segment)
      .flatMap(({ series, steps }) => steps.map((step, index) => ({ series, index, step })))
      .sort((a, b) => a.step - b.step)
    if (!news.length) continue
    entries = [...entries.filter((entry) => entry.step < news[0].step), ...news]
  }
  return entries
}

/**
 * The value to show at a step: the one recorded there, or the nearest earlier one; null if there is none.
 * @param step null for the newest
 */
export function entryAt(entries: readonly Entry[], step: number | null): Entry | null {
  if (step === null) return entries[entries.length - 1] ?? null
  return entries[lastUpTo(entries.length, (place) => entries[place].step, step)] ?? null
}
