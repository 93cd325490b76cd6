/**
 * Chooses one of the ten run colours and a dash for each visible run. The server gives each run a colour that is stable
 * for its name, but two visible runs must also differ. Called by the runs store.
 */
import type { RunRow } from '../types'

export const COLOURS = 10
/** From the eleventh visible run on, colours repeat with the next dash. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]]

export interface Paint {
  /** 0 to 9. */
  colour: number
  dash: readonly number[]
}

type Painted = Pick<RunRow, 'number' | 'colour'> & { marks?: Pick<RunRow['marks'], 'colour'> }

/**
 * Assigns paints: a user's choice stays, and so do earlier paints. A new run gets its own colour, or the next free one
 * if another run has it. If all ten are in use, it gets the least used one with the next dash.
 * @param before the previous paints; those of runs that are no longer listed become free
 */
export function paintRuns(
  runs: readonly Painted[],
  before: ReadonlyMap<number, Paint> = new Map(),
): Map<number, Paint> {
  const uses = new Array<number>(COLOURS).fill(0)
  const paints = new Map<number, Paint>()
  for (const { number, marks } of runs) {
    const chosen = marks?.colour ?? null
    const paint = chosen === null ? before.get(number) : { colour: chosen, dash: DASHES[uses[chosen] % DASHES.length] }
    if (!paint) continue
    paints.set(number, paint)
    uses[paint.colour]++
  }
  for (const { number, colour: own } of runs) {
    if (paints.has(number)) continue
    const colour = leastUsed(uses, own % COLOURS)
    paints.set(number, { colour, dash: DASHES[uses[colour] % DASHES.length] })
    uses[colour]++
  }
  return paints
}

function leastUsed(uses: number[], own: number): number {
  let best = own
  for (let turn = 1; turn < COLOURS; turn++) {
    const colour = (own + turn) % COLOURS
    if (uses[colour] < uses[best]) best = colour
  }
  return best
}
