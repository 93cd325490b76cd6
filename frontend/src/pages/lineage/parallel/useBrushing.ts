/**
 * Brushing by pointer: a drag on an axis starts a stretch, a drag on a stretch moves or resizes it, a click removes it.
 * A click on a lane or category toggles it.
 */
import { computed, ref, shallowRef, type ComputedRef, type Ref } from 'vue'

import { withBrush, type Brush, type Brushes } from '../brushes'
import { brushOf, stretchesOf, withLane, withoutStretch, withStretch, type Stretch } from './brushing'
import type { Frame } from './geometry'
import type { AxisLayout } from './layout'

/**
 * Pixels beside an axis that belong to it, pixels around the end of a stretch, and the movement below which a press is
 * no drag.
 */
const REACH = 14
const GRIP = 6
const STILL = 3
const SNAP = 6

export interface Spot {
  x: number
  y: number
}
type Part = 'new' | 'move' | 'from' | 'to' | 'nowhere' | 'unset'
interface Grasp {
  part: Part
  layout: AxisLayout
  stretch: Stretch | null
}
interface Drag extends Grasp {
  start: Spot
  before: Brush
  moved: boolean
}

export interface Brushing {
  busy: ComputedRef<boolean>
  /** CSS class of the stage for the action that a press would start. */
  cursor: ComputedRef<string>
  spotOf: (event: PointerEvent) => Spot | null
  /** Each returns whether a brush handles the pointer. */
  begin: (event: PointerEvent) => boolean
  move: (event: PointerEvent) => boolean
  end: (event: PointerEvent) => boolean
  cancel: () => void
}

interface Around {
  stage: Readonly<Ref<HTMLElement | null>>
  layouts: Readonly<Ref<readonly AxisLayout[]>>
  frame: Readonly<Ref<Frame>>
  brushes: Ref<Brushes>
  preview: (brushes: Brushes | null) => void
}

export function useBrushing({ stage, layouts, frame, brushes, preview }: Around): Brushing {
  const drag = shallowRef<Drag | null>(null)
  const over = ref<Part | null>(null)
  const placeOf = (y: number): number => (y - frame.value.top) / frame.value.span

  function spotOf(event: PointerEvent): Spot | null {
    const box = stage.value?.getBoundingClientRect()
    return box ? { x: event.clientX - box.left, y: event.clientY - box.top } : null
  }

  /** The brush target under a point. */
  function graspAt({ x, y }: Spot): Grasp | null {
    const { xs, top, foot, nowhere, unset, span } = frame.value
    const at = xs.findIndex((one) => Math.abs(one - x) <= REACH)
    const layout = layouts.value[at]
    if (!layout || y < top - REACH) return null
    if (layout.hasUnset && Math.abs(y - unset) <= REACH) return { part: 'unset', layout, stretch: null }
    if (layout.hasNowhere && Math.abs(y - nowhere) <= REACH) return { part: 'nowhere', layout, stretch: null }
    if (y > foot + GRIP) return null
    const found = stretchesOf(layout, brushOf(brushes.value, layout.axis.name)).find(
      ({ from, to }) => y >= top + from * span - GRIP && y <= top + to * span + GRIP,
    )
    if (!found) return { part: 'new', layout, stretch: null }
    const [above, below] = [Math.abs(y - (top + found.from * span)), Math.abs(y - (top + found.to * span))]
    const part = Math.min(above, below) > GRIP ? 'move' : above < below ? 'from' : 'to'
    return { part, layout, stretch: found }
  }

  /** The brush after a drag. */
  function changed({ part, layout, stretch, start, before }: Drag, { y }: Spot): Brush {
    const [from, to] = [placeOf(start.y), placeOf(y)]
    if (part === 'new' || !stretch) return withStretch(layout, before, clamp(from), clamp(to))
    const rest = withoutStretch(layout, before, stretch)
    if (part === 'from') return withStretch(layout, rest, clamp(to), stretch.to)
    if (part === 'to') return withStretch(layout, rest, stretch.from, clamp(to))
    const by = Math.max(-stretch.from, Math.min(1 - stretch.to, to - from))
    return withStretch(layout, rest, stretch.from + by, stretch.to + by)
  }
  /** A position near the end of an axis snaps to it, so that the best run is not missed by a pixel. */
  function clamp(place: number): number {
    const near = SNAP / frame.value.span
    return place < near ? 0 : place > 1 - near ? 1 : place
  }

  function begin(event: PointerEvent): boolean {
    const start = spotOf(event)
    const grasp = start && graspAt(start)
    if (!start || !grasp) return false
    drag.value = { ...grasp, start, before: brushOf(brushes.value, grasp.layout.axis.name), moved: false }
    stage.value?.setPointerCapture?.(event.pointerId)
    return true
  }
  function move(event: PointerEvent): boolean {
    const spot = spotOf(event)
    const now = drag.value
    if (!spot) return false
    if (!now) {
      over.value = graspAt(spot)?.part ?? null
      return over.value !== null
    }
    now.moved ||= Math.abs(spot.y - now.start.y) > STILL
    if (now.moved && now.part !== 'nowhere' && now.part !== 'unset')
      preview(withBrush(brushes.value, now.layout.axis.name, changed(now, spot)))
    return true
  }
  function end(event: PointerEvent): boolean {
    const spot = spotOf(event)
    const now = drag.value
    if (!now || !spot) return false
    drag.value = null
    const { name } = now.layout.axis
    preview(null)
    if (now.moved)
      brushes.value = withBrush(
        brushes.value,
        name,
        now.part === 'nowhere' || now.part === 'unset' ? now.before : changed(now, spot),
      )
    else brushes.value = withBrush(brushes.value, name, clicked(now))
    return true
  }
  function clicked({ part, layout, stretch, before, start }: Drag): Brush {
    if (part === 'nowhere' || part === 'unset') return withLane(before, part)
    if (stretch) return withoutStretch(layout, before, stretch)
    return layout.categories ? withStretch(layout, before, clamp(placeOf(start.y)), clamp(placeOf(start.y))) : before
  }
  function cancel(): void {
    drag.value = null
    preview(null)
  }

  const CURSORS: Record<Part, string> = {
    new: 'brush',
    move: 'move',
    from: 'resize',
    to: 'resize',
    nowhere: 'line',
    unset: 'line',
  }
  return {
    busy: computed(() => drag.value !== null),
    cursor: computed(() => {
      const part = drag.value?.part ?? over.value
      return part ? CURSORS[part] : ''
    }),
    spotOf,
    begin,
    move,
    end,
    cancel,
  }
}
