/**
 * Where on the x axis something happened to runs: one began again, or somebody changed a setting of it. One mark for
 * moments that would lie on one another. Pure; called by LinePlot.
 */
import { projectX, type Projection } from './strokes'
import type { XAxis } from '../view'

/** A setting that was changed while a run went on; what was before may be unknown. */
export interface SettingChange {
  name: string
  before: Setting | null
  after: Setting | null
}

export type Setting = number | string | boolean

/** What happened to a run, as the server tells it: it began again, or there was a `change`. */
export interface Moment {
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
  /** Counts from the step behind this one on. */
  change?: SettingChange
}

export interface MomentMark {
  /** CSS pixels from the left edge of the plot. */
  px: number
  /** Of the run if there is one, else neutral. */
  colour: string
  moments: Moment[]
}

/** Nearer than this, in pixels, moments share a mark; so far from one the pointer still means it. */
const APART = 5
const NEUTRAL = 'var(--text-2)'

function placeOf(moment: Moment, axis: XAxis): number {
  if (axis === 'step') return moment.step
  if (axis === 'relative-step') return moment.step - (moment.originStep ?? NaN)
  if (axis === 'relative') return moment.wall - (moment.origin ?? NaN)
  // Along another scalar a moment has no place.
  return axis === 'wall' ? moment.wall : NaN
}

/** The marks that lie on a plot of this width, from left to right. */
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
