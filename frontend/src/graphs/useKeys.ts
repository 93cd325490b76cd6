/** The keys of the canvas. Called by GraphCanvas.vue. */
import type { Stage } from './draw/stage'
import { panBy, zoomAt } from './draw/view'
import { containerOf, splitInstance } from './paths'
import type { Drawing } from './scene/drawing'
import { stepFrom, type Direction } from './scene/steps'

const PAN = 80
const ARROWS: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }

export interface KeyActs {
  stage: () => Stage | null
  drawing: () => Drawing
  selected: () => string | null
  select: (path: string | null) => void
  toggle: (path: string) => void
  zoomBy: (factor: number) => void
  fit: () => void
  holdSpace: (held: boolean) => void
  spaceHeld: () => boolean
}

export function useKeys(acts: KeyActs) {
  function arrow(direction: Direction): void {
    const stage = acts.stage()
    if (acts.spaceHeld()) {
      const [right, down] = { up: [0, -PAN], down: [0, PAN], left: [-PAN, 0], right: [PAN, 0] }[direction]
      if (stage) stage.lookAt(panBy(stage.view, right, down))
      return
    }
    const next = stepFrom(acts.drawing(), acts.selected(), direction)
    if (next) acts.select(next.path)
  }

  /** Selects the box around the selected one; from the outermost, selects nothing. */
  function leave(): void {
    const selected = acts.selected()
    if (selected === null) return
    const container = containerOf(selected)
    acts.select(container ? splitInstance(container).box : null)
  }

  function press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const direction = ARROWS[event.key]
    const selected = acts.selected()
    const table: Record<string, () => void> = {
      '+': () => acts.zoomBy(1.25),
      '=': () => acts.zoomBy(1.25),
      '-': () => acts.zoomBy(0.8),
      '0': acts.fit,
      ' ': () => acts.holdSpace(true),
    }
    if (selected !== null) {
      table['Enter'] = () => acts.toggle(selected)
      table['Escape'] = leave
    }
    const act = direction ? () => arrow(direction) : table[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }

  function lift(event: KeyboardEvent): void {
    if (event.key === ' ') acts.holdSpace(false)
  }

  return { press, lift }
}

/** Zooms around a box, or around the middle of the view. */
export function zoomAround(stage: Stage, drawing: Drawing, path: string | null, factor: number): void {
  const box = path === null ? undefined : drawing.byPath.get(path)
  const { view, size } = stage
  const [x, y] = box
    ? [(box.x + box.width / 2 - view.x) * view.zoom, (box.y + Math.min(box.height / 2, 20) - view.y) * view.zoom]
    : [-1, -1]
  const inView = x >= 0 && y >= 0 && x <= size.width && y <= size.height
  stage.lookAt(zoomAt(view, factor, inView ? x : size.width / 2, inView ? y : size.height / 2))
}
