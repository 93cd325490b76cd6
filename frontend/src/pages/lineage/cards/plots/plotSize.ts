/** The size of a plot's container, kept current. Called by plots that are drawn wholly or partly as SVG. */
import { onBeforeUnmount, onMounted, shallowRef, useTemplateRef, type ShallowRef } from 'vue'

export interface PlotSize {
  host: Readonly<ShallowRef<HTMLElement | null>>
  size: ShallowRef<{ width: number; height: number }>
}

/**
 * The component's template must refer to the container as `host`.
 * @param width and height in CSS pixels before the layout
 */
export function usePlotSize(width: number, height: number): PlotSize {
  const host = useTemplateRef<HTMLElement>('host')
  const size = shallowRef({ width, height })
  let sizes: ResizeObserver | null = null
  onMounted(() => {
    const element = host.value
    if (!element) return
    sizes = new ResizeObserver(([entry]) => {
      const { width: wide, height: high } = entry.contentRect
      if (wide && high) size.value = { width: wide, height: high }
    })
    sizes.observe(element)
  })
  onBeforeUnmount(() => sizes?.disconnect())
  return { host, size }
}
