/**
 * A canvas that keeps the size of its host, is sharp on every screen, and draws only after changes. Called by plots.
 */
import { onBeforeUnmount, onMounted, watch, type ShallowRef } from 'vue'

import { useRedraw } from './redraw'
import { currentInk, onThemeChange, type Ink } from './theme'

/**
 * @param canvas fills its parent, whose size it takes
 * @param paint draws on an empty canvas with a width and height in CSS pixels; called again after the state that it
 * reads
 *   changed
 */
export function usePlotCanvas(
  canvas: ShallowRef<HTMLCanvasElement | null>,
  changes: () => unknown,
  paint: (pen: CanvasRenderingContext2D, ink: Ink, width: number, height: number) => void,
): void {
  const redraw = useRedraw()
  let ends: (() => void)[] = []

  function draw(element: HTMLCanvasElement): void {
    const host = element.parentElement
    const pen = element.getContext('2d')
    if (!host || !pen) return
    const { clientWidth: width, clientHeight: height } = host
    const scale = window.devicePixelRatio || 1
    element.width = Math.round(width * scale)
    element.height = Math.round(height * scale)
    pen.setTransform(scale, 0, 0, scale, 0, 0)
    const ink = currentInk()
    pen.font = ink.font
    paint(pen, ink, width, height)
  }

  onMounted(() => {
    const element = canvas.value
    if (!element?.parentElement) return
    const drawable = { host: element, draw: () => draw(element) }
    const request = (): void => redraw.request(drawable)
    redraw.add(drawable)
    const sizes = new ResizeObserver(request)
    sizes.observe(element.parentElement)
    const ended = watch(changes, request, { flush: 'post' })
    ends = [() => sizes.disconnect(), onThemeChange(request), ended, () => redraw.remove(drawable)]
    request()
  })
  onBeforeUnmount(() => ends.forEach((end) => end()))
}
