/** Tick positions of the step strip: round distances with enough space for the numbers. */

export interface Tick {
  step: number
  /** Major ticks carry a number. */
  major: boolean
}

const ROUND = [1, 2, 2.5, 5, 10]

/** The smallest round integer distance that is at least `least`. */
export function roundDistance(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  for (const factor of ROUND) {
    const distance = factor * power
    if (distance >= least && Number.isInteger(distance)) return distance
  }
  return 10 * power
}

/**
 * @param first the step at the left edge
 * @param last the step at the right edge
 * @param width pixels between the two
 * @param room pixels that a number needs
 */
export function stripTicks(first: number, last: number, width: number, room = 110): Tick[] {
  if (last <= first || width <= 0) return [{ step: first, major: true }]
  const major = roundDistance(((last - first) * room) / width)
  const tenth = major / 10
  const minor = Number.isInteger(tenth) ? tenth : major
  const ticks: Tick[] = []
  for (let step = Math.ceil(first / minor) * minor; step <= last; step += minor) {
    ticks.push({ step, major: step % major === 0 })
  }
  return ticks
}
