/** Mounts only those rows of a long list that are in view. Heights are known beforehand, so nothing jumps. */
import { useVirtualizer, type VirtualItem } from '@tanstack/vue-virtual'
import { computed, onBeforeUnmount, onMounted, ref, type ComputedRef, type Ref } from 'vue'

interface Row {
  key: string
  height: number
}

export interface VirtualRows<R extends Row> {
  /** The rows in view with their places, `item.start` pixels below the top. */
  mounted: ComputedRef<{ item: VirtualItem; row: R }[]>
  /** Pixels of all rows. */
  total: ComputedRef<number>
  /** What is in view, in pixels below the top of all rows; known without asking the page for its layout. */
  view(): { top: number; height: number }
  scrollTo(index: number): void
}

/**
 * @param scroll the element that scrolls
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
        // Another function for other rows: that is how the library sees that they are to be laid out anew.
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

/** The width of an element without its padding, kept current. */
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
