/** Where on the x axis runs began again: one mark for restarts that would lie on one another. Pure; called by LinePlot. */
import { projectX, type Projection } from './strokes'
import type { XAxis } from './view'

/** A run that began again, as the server tells it. */
export interface Restart {
  run: number
  /** Of the run. */
  name: string
  colour: string
  step: number
  wall: number
  /** Wall time that counts as zero on the relative axis. */
  origin: number | null
  /** Step that counts as zero on the axis of relative steps. */
  originStep?: number | null
}

export interface RestartMark {
  /** CSS pixels from the left edge of the plot. */
  px: number
  /** Of the run if there is one, else neutral. */
  colour: string
  restarts: Restart[]
}

/** Nearer than this, in pixels, restarts share a mark; so far from one the pointer still means it. */
const APART = 5
const NEUTRAL = 'var(--text-2)'

function placeOf(restart: Restart, axis: XAxis): number {
  if (axis === 'step') return restart.step
  if (axis === 'relative-step') return restart.step - (restart.originStep ?? NaN)
  if (axis === 'relative') return restart.wall - (restart.origin ?? NaN)
  // Along another scalar a restart has no place.
  return axis === 'wall' ? restart.wall : NaN
}

/** The marks that lie on a plot of this width, from left to right. */
export function restartMarks(restarts: readonly Restart[], axis: XAxis, projection: Projection, width: number): RestartMark[] {
  const placed = restarts.map((restart) => ({ restart, px: projectX(projection, placeOf(restart, axis)) }))
  const inside = placed.filter(({ px }) => px >= 0 && px <= width).sort((a, b) => a.px - b.px)
  const marks: RestartMark[] = []
  for (const { restart, px } of inside) {
    const last = marks.at(-1)
    if (!last || px - last.px >= APART) {
      marks.push({ px, colour: restart.colour, restarts: [restart] })
      continue
    }
    last.restarts.push(restart)
    if (last.restarts[0].run !== restart.run) last.colour = NEUTRAL
  }
  return marks
}

/** The mark under the pointer. */
export function markAt(marks: readonly RestartMark[], px: number): RestartMark | null {
  return marks.find((mark) => Math.abs(mark.px - px) <= APART) ?? null
}
