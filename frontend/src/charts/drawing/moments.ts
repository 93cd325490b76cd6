/**
 * Moments on the x axis: restarts of runs and changes of their settings. Moments that would overlap share one mark.
 * Pure; called by LinePlot.
 */
import { projectX, type Projection } from './strokes'
import type { XAxis } from '../view'

/** A setting that was changed during a run. The old value may be unknown. */
export interface SettingChange {
  name: string
  before: Setting | null
  after: Setting | null
}

export type Setting = number | string | boolean

/** An event of a run, as the server reports it: a restart, or a `change`. */
export interface Moment {
  run: number
  /** Number of the run. */
  name: string
  colour: string
  step: number
  wall: number
  /** Wall time of zero on the relative axis. */
  origin: number | null
  /** Step of zero on the axis of relative steps. */
  originStep?: number | null
  /** The first step after it counts. */
  change?: SettingChange
}

export interface MomentMark {
  /** Distance from the left edge of the plot in CSS pixels. */
  px: number
  /** Colour of the run if there is only one, else neutral. */
  colour: string
  moments: Moment[]
}

/** Distance in pixels below which moments share a mark, and within which the pointer selects a mark. */
const APART = 5
const NEUTRAL = 'var(--text-2)'

function placeOf(moment: Moment, axis: XAxis): number {
  if (axis === 'step') return moment.step
  if (axis === 'relative-step') return moment.step - (moment.originStep ?? NaN)
  if (axis === 'relative') return moment.wall - (moment.origin ?? NaN)
  // With another scalar on the x axis a moment has no place.
  return axis === 'wall' ? moment.wall : NaN
}

/** The marks of a plot of this width, from left to right. */
export function momentMarks(
  moments: readonly Moment[],
  axis: XAxis,
  projection: Projection,
  width: number,
): MomentMark[] {
  const placed = moments.map((moment) => ({ moment, px: projectX(projection, placeOf(moment, axis)) }))
  const inside = placed.filter(({ px }) => px >= 0 && px <= width).sort((a, b) => a.px - b.px)
  const marks: MomentMark[] = []
  for (const { moment, px } of inside) {
    const last = marks.at(-1)
    if (!last || px - last.px >= APART) {
      marks.push({ px, colour: moment.colour, moments: [moment] })
      continue
    }
    last.moments.push(moment)
    if (last.moments[0].run !== moment.run) last.colour = NEUTRAL
  }
  return marks
}

/** The mark under the pointer. */
export function markAt(marks: readonly MomentMark[], px: number): MomentMark | null {
  return marks.find((mark) => Math.abs(mark.px - px) <= APART) ?? null
}
