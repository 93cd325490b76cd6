/** Mounts only the visible rows of a long list. Heights are known beforehand, so nothing jumps. */
import { useVirtualizer, type VirtualItem } from '@tanstack/vue-virtual'
import { computed, onBeforeUnmount, onMounted, ref, type ComputedRef, type Ref } from 'vue'

interface Row {
  key: string
  height: number
}

export interface VirtualRows<R extends Row> {
  /** The visible rows with their positions, `item.start` pixels below the top. */
  mounted: ComputedRef<{ item: VirtualItem; row: R }[]>
  /** Height of all rows in pixels. */
  total: ComputedRef<number>
  /** The visible range in pixels below the top of all rows, known without a layout of the page. */
  view(): { top: number; height: number }
  scrollTo(index: number): void
}

/**
 * @param scroll the scrolling element
 * @param rows all rows, from top to bottom
 * @param above pixels above the first row
 */
export function useVirtualRows<R extends Row>(
  scroll: Readonly<Ref<HTMLElement | null>>,
  rows: () => readonly R[],
  above = 0,
): VirtualRows<R> {
  const virtual = useVirtualizer(
    computed(() => {
      const all = rows()
      return {
        count: all.length,
        getScrollElement: () => scroll.value,
        estimateSize: (at: number) => all[at].height,
        // A new function for new rows, because the library then sees that the layout has changed.
        getItemKey: (at: number) => all[at].key,
        overscan: 1,
        paddingStart: above,
      }
    }),
  )
  return {
    mounted: computed(() => {
      const all = rows()
      return virtual.value
        .getVirtualItems()
        .flatMap((item) => (all[item.index] ? [{ item, row: all[item.index] }] : []))
    }),
    total: computed(() => virtual.value.getTotalSize()),
    view: () => ({ top: virtual.value.scrollOffset ?? 0, height: virtual.value.scrollRect?.height ?? 0 }),
    scrollTo: (index) => virtual.value.scrollToIndex(index),
  }
}

/** The width of an element without its padding, kept up to date. */
export function useInnerWidth(element: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<number>> {
  const width = ref(0)
  let sizes: ResizeObserver | null = null
  onMounted(() => {
    const measured = element.value
    if (!measured) return
    const measure = (): void => {
      const style = getComputedStyle(measured)
      width.value = measured.clientWidth - (parseFloat(style.paddingLeft) || 0) - (parseFloat(style.paddingRight) || 0)
    }
    measure()
    sizes = new ResizeObserver(measure)
    sizes.observe(measured)
  })
  onBeforeUnmount(() => sizes?.disconnect())
  return width
}
