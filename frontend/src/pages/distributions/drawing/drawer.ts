/**
 * What every view of a scene is: it draws itself in a box, reads a place under a point, and finds the point of a place.
 */
import type { Ink } from '../../../charts/drawing/theme'
import type { Pen } from './axes'
import type { Limits } from './formats'
import type { Box, Height, Place, Scene } from './scene'

export interface Look {
  ink: Ink
  /** The run's colour as `var(--run-…)`. */
  colour: string
  /** The row of the step cursor; -1 if there is none. */
  cursor: number
  /** The step of the cursor's histogram. */
  step: number | null
  locale: string
  height: Height
  /** The range of half precision that is drawn in the background, and its name. */
  guide: { limits: Limits; under: string; over: string } | null
  /** Heads of the columns beside the curves. */
  words: { step: string; odd: string }
  /** Without axes and texts, for small cards. */
  bare: boolean
}

export interface Drawer {
  /** The area for data in a canvas, between the axes and the lane of values that are not finite. */
  box(scene: Scene, width: number, height: number, bare: boolean): Box
  draw(pen: Pen, scene: Scene, box: Box, look: Look): void
  at(scene: Scene, box: Box, x: number, y: number): Place
  point(scene: Scene, box: Box, place: Place): { x: number; y: number }
}

export const FOOT = 24
export const SIDE = 54

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
