/**
 * The picker of instances in the header of an opened stack: positions of its parts. Used by drawing and by the hit
 * test.
 */
import { BOX, compactWidth, MOST_CHIPS, type BoxWords } from '../scene/measure'
import type { DrawnBox, Rect } from '../scene/drawing'

export interface Chip extends Rect {
  /** The instance that it selects; null for the text between the arrows. */
  instance: number | null
  text: string
  chosen: boolean
  differs: boolean
}

/** Chips of an opened stack from left to right; none for other boxes, and if all instances are shown. */
export function chipsOf(drawn: DrawnBox, words: BoxWords): Chip[] {
  const { box, instance } = drawn
  if (typeof instance !== 'number' || box.count < 2) return []
  const differing = new Set(box.variants)
  const y = drawn.y + (BOX.header - BOX.chip) / 2
  const right = drawn.x + drawn.width - 10
  if (box.count <= MOST_CHIPS) {
    return Array.from({ length: box.count }, (_, at) => ({
      x: right - (box.count - at) * BOX.chipStep + 2,
      y,
      width: BOX.chip,
      height: BOX.chip,
      instance: at,
      text: differing.has(at) ? `~${at + 1}` : String(at + 1),
      chosen: at === instance,
      differs: differing.has(at),
    }))
  }
  const middle = compactWidth(box.count, words)
  const part = (x: number, width: number, text: string, to: number | null): Chip => ({
    x,
    y,
    width,
    height: BOX.chip,
    instance: to,
    text,
    chosen: false,
    differs: to === null && differing.has(instance),
  })
  const step = (by: number): number => (instance + by + box.count) % box.count
  return [
    part(right - middle - 2 * BOX.chipStep, BOX.chip, '‹', step(-1)),
    part(
      right - middle - BOX.chipStep,
      middle,
      `${differing.has(instance) ? '~' : ''}${words.instance(instance + 1, box.count)}`,
      null,
    ),
    part(right - BOX.chipStep + 2, BOX.chip, '›', step(1)),
  ]
}
