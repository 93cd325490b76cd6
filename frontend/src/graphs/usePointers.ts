/** Pointers on the canvas: select, open, pan, zoom, choose an instance. Called by GraphCanvas.vue. */
import { ref } from 'vue'

import type { HitGrid, Hit } from './draw/hit'
import type { Stage } from './draw/stage'
import { panBy, zoomAt } from './draw/view'

const STILL = 4
const REACH = 5

export interface PointerActs {
  stage: () => Stage | null
  grid: () => HitGrid | null
  select: (path: string | null) => void
  /** Opens or closes; `at` is the world position of the pointer. */
  toggle: (hit: Hit, at: number) => void
  choose: (hit: Hit, instance: number, at: number) => void
  hover: (path: string | null, edge: number) => void
}

interface Pressed {
  x: number
  y: number
  moved: boolean
  button: number
}

export function usePointers(host: () => HTMLElement | null, acts: PointerActs) {
  const dragging = ref(false)
  const pressed = new Map<number, Pressed>()
  let space = false

  function placeOf(event: MouseEvent): { x: number; y: number } {
    const box = host()?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  function worldOf(event: MouseEvent): { x: number; y: number } {
    const { x, y } = placeOf(event)
    const view = acts.stage()?.view ?? { x: 0, y: 0, zoom: 1 }
    return { x: view.x + x / view.zoom, y: view.y + y / view.zoom }
  }
  function hitAt(event: MouseEvent): Hit | null {
    const { x, y } = worldOf(event)
    return acts.grid()?.at(x, y) ?? null
  }

  function press(event: PointerEvent): void {
    if (event.button > 1) return
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY, moved: false, button: event.button })
    host()?.setPointerCapture(event.pointerId)
    if (event.button === 1) event.preventDefault()
  }

  function move(event: PointerEvent): void {
    const down = pressed.get(event.pointerId)
    const stage = acts.stage()
    if (!stage) return
    if (!down) {
      look(event)
      return
    }
    const [right, low] = [event.clientX - down.x, event.clientY - down.y]
    if (!down.moved && Math.hypot(right, low) < STILL) return
    if (pressed.size === 2) pinch(event, stage)
    else stage.lookAt(panBy(stage.view, -right, -low))
    dragging.value = true
    pressed.set(event.pointerId, { ...down, x: event.clientX, y: event.clientY, moved: true })
  }

  /** Two fingers: the content between them stays between them. */
  function pinch(event: PointerEvent, stage: Stage): void {
    const box = host()?.getBoundingClientRect()
    const [own, other] = [pressed.get(event.pointerId), [...pressed].find(([id]) => id !== event.pointerId)?.[1]]
    if (!box || !own || !other) return
    const before = Math.hypot(own.x - other.x, own.y - other.y)
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y)
    const panned = panBy(stage.view, (own.x - event.clientX) / 2, (own.y - event.clientY) / 2)
    stage.lookAt(
      zoomAt(
        panned,
        after / Math.max(1, before),
        (event.clientX + other.x) / 2 - box.left,
        (event.clientY + other.y) / 2 - box.top,
      ),
    )
  }

  function look(event: PointerEvent): void {
    const { x, y } = worldOf(event)
    const hit = acts.grid()?.at(x, y) ?? null
    const zoom = acts.stage()?.view.zoom ?? 1
    const over = hit && hit.part !== 'ground'
    const container = hit ? insideOf(hit) : ''
    acts.hover(
      hit?.part === 'ground' ? null : (hit?.box.path ?? null),
      over ? -1 : (acts.grid()?.edgeAt(x, y, REACH / zoom, container) ?? -1),
    )
  }

  function insideOf({ box }: Hit): string {
    return typeof box.instance === 'number' ? `${box.path}#${box.instance}` : box.path
  }

  function release(event: PointerEvent): void {
    const down = pressed.get(event.pointerId)
    pressed.delete(event.pointerId)
    if (!pressed.size) dragging.value = false
    if (!down || down.moved || down.button !== 0 || space) return
    const hit = hitAt(event)
    if (hit && hit.instance !== null && hit.instance !== hit.box.instance)
      acts.choose(hit, hit.instance, worldOf(event).x)
    else acts.select(hit?.box.path ?? null)
  }

  function cancel(event: PointerEvent): void {
    pressed.delete(event.pointerId)
    if (!pressed.size) dragging.value = false
  }

  function twice(event: MouseEvent): void {
    const hit = hitAt(event)
    if (hit && hit.part !== 'ground' && hit.instance === null) acts.toggle(hit, worldOf(event).x)
  }

  function wheel(event: WheelEvent): void {
    const stage = acts.stage()
    if (!stage) return
    event.preventDefault()
    const unit = event.deltaMode === 1 ? 16 : 1
    if (!event.ctrlKey && (event.shiftKey || event.deltaX)) {
      stage.lookAt(panBy(stage.view, (event.deltaX || event.deltaY) * unit, event.deltaX ? event.deltaY * unit : 0))
      return
    }
    const { x, y } = placeOf(event)
    // A pinch on a touch pad comes as a wheel with Ctrl, in small steps.
    stage.lookAt(zoomAt(stage.view, 2 ** ((-event.deltaY * unit) / (event.ctrlKey ? 80 : 300)), x, y))
  }

  return {
    press,
    move,
    release,
    cancel,
    twice,
    wheel,
    dragging,
    leave: () => acts.hover(null, -1),
    holdSpace: (held: boolean) => (space = held),
    spaceHeld: () => space,
  }
}
