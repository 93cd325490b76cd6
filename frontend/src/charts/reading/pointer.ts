/** The pointer over a plot: hovering, dragging a range or a box, panning, the wheel, clicks. Called by LinePlot. */

/** Distance from the left and from the top of the plot in pixels. */
export interface Spot {
  x: number
  y: number
}

export interface Selection {
  /** From left to right; null for all of x. */
  x: [number, number] | null
  /** From top to bottom; null for all of y. */
  y: [number, number] | null
}

export interface PointerActions {
  /** Position of the pointer and its distance from the foot of the plot; null after it left. */
  hover(spot: Spot | null, fromFoot: number): void
  /** The current selection; null after it was cancelled. */
  selecting(selection: Selection | null): void
  selected(selection: Selection): void
  /** The drawing is dragged by this many pixels; `first` begins a new drag. */
  pan(by: Spot, first: boolean): void
  /** Above 1 closer. */
  wheel(factor: number, px: number): void
  click(spot: Spot): void
  reset(): void
}

/** Less movement than this, in pixels, is a click. */
const DRAG_FROM = 5
/** A drag shorter than this in one direction selects the whole range of that direction. */
const BOX_FROM = 16
const WHEEL_STEP = 0.002

/** The selection of a drag from one point to another: a range of x, a range of y, or a box. */
export function selectionOf(from: Spot, to: Spot): Selection {
  const ordered = (a: number, b: number): [number, number] => (a < b ? [a, b] : [b, a])
  const wide = Math.abs(to.x - from.x)
  const high = Math.abs(to.y - from.y)
  const x = wide >= BOX_FROM || wide >= high ? ordered(from.x, to.x) : null
  return { x, y: high >= BOX_FROM || x === null ? ordered(from.y, to.y) : null }
}

/**
 * Listens to the pointer over an element.
 * @returns the function that ends it
 */
export function listenToPointer(element: HTMLElement, actions: PointerActions): () => void {
  let down: Spot | null = null
  let held: Spot | null = null
  let dragging = false
  const place = (event: MouseEvent): Spot => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return {
      x: Math.max(0, Math.min(width, event.clientX - left)),
      y: Math.max(0, Math.min(height, event.clientY - top)),
    }
  }

  function giveUp(): void {
    if (dragging && down) actions.selecting(null)
    down = held = null
    dragging = false
  }
  function onDown(event: PointerEvent): void {
    const pans = event.button === 1 || (event.button === 0 && event.shiftKey)
    if ((event.button !== 0 && !pans) || !event.isPrimary) return
    if (pans) {
      held = { x: event.clientX, y: event.clientY }
      event.preventDefault()
    } else down = place(event)
    element.setPointerCapture?.(event.pointerId)
  }
  function onMove(event: PointerEvent): void {
    const spot = place(event)
    actions.hover(spot, element.getBoundingClientRect().bottom - event.clientY)
    if (held) drag(held, event)
    if (down === null) return
    dragging ||= Math.hypot(spot.x - down.x, spot.y - down.y) >= DRAG_FROM
    if (dragging) actions.selecting(selectionOf(down, spot))
  }
  function drag(from: Spot, { clientX, clientY }: PointerEvent): void {
    const by = { x: clientX - from.x, y: clientY - from.y }
    if (!dragging && Math.hypot(by.x, by.y) < DRAG_FROM) return
    actions.pan(by, !dragging)
    dragging = true
    held = { x: clientX, y: clientY }
  }
  function onUp(event: PointerEvent): void {
    const from = down
    const wasDragging = dragging
    giveUp()
    if (from === null) return
    if (wasDragging) actions.selected(selectionOf(from, place(event)))
    else actions.click(place(event))
  }
  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !dragging) return
    event.stopPropagation()
    giveUp()
  }
  /** The wheel alone scrolls the page. With a modifier key it zooms the chart. */
  function onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) return
    event.preventDefault()
    actions.wheel(Math.exp(-event.deltaY * WHEEL_STEP), place(event).x)
  }
  const handlers: [EventTarget, string, (event: never) => void][] = [
    [element, 'pointerdown', onDown],
    [element, 'pointermove', onMove],
    [element, 'pointerup', onUp],
    [element, 'pointercancel', giveUp],
    [element, 'pointerleave', () => actions.hover(null, Infinity)],
    [element, 'dblclick', () => actions.reset()],
    [element, 'wheel', onWheel],
    [window, 'keydown', onKey],
  ]
  const options = { capture: true, passive: false }
  for (const [target, name, handler] of handlers) target.addEventListener(name, handler as EventListener, options)
  return () => {
    for (const [target, name, handler] of handlers) target.removeEventListener(name, handler as EventListener, options)
  }
}
