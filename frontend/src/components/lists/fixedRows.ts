/**
 * Finds the visible rows of a long table with rows of equal height. A few lines instead of a general library, because
 * on the first page every kilobyte costs loading time.
 */
import { computed, onBeforeUnmount, ref, watch, type ComputedRef, type Ref } from 'vue'

/** Rows beyond the edges, so that a turn of the wheel finds them already drawn. */
const BEYOND = 8
const STANDS_STILL_AFTER = 120

export interface FixedRows {
  /** The first row to draw, and the index after the last. */
  from: ComputedRef<number>
  to: ComputedRef<number>
  /** Width of the scrolling element in pixels. */
  width: Ref<number>
  /** Whether the user scrolls fast at the moment. */
  rushing: Ref<boolean>
  scrollTo: (index: number) => void
}

/**
 * @param box the scrolling element
 * @param head height in pixels of the fixed head above the rows
 */
export function useFixedRows(
  box: Readonly<Ref<HTMLElement | null>>,
  count: () => number,
  rowHeight: () => number,
  head: number,
): FixedRows {
  const top = ref(0)
  const height = ref(0)
  const width = ref(0)
  const rushing = ref(false)
  let still: ReturnType<typeof setTimeout> | undefined
  let sizes: ResizeObserver | null = null

  function measure(): void {
    top.value = box.value?.scrollTop ?? 0
    height.value = box.value?.clientHeight ?? 0
    width.value = box.value?.clientWidth ?? 0
  }
  function scrolled(): void {
    const before = top.value
    // Only cheap properties: reading a height would cost another layout.
    top.value = box.value?.scrollTop ?? 0
    if (Math.abs(top.value - before) > rowHeight()) rushing.value = true
    clearTimeout(still)
    still = setTimeout(() => (rushing.value = false), STANDS_STILL_AFTER)
  }
  // The element may appear later than its parent: while rows are loading there is none.
  watch(
    box,
    (element, before) => {
      before?.removeEventListener('scroll', scrolled)
      sizes?.disconnect()
      measure()
      if (!element) return
      element.addEventListener('scroll', scrolled, { passive: true })
      sizes = new ResizeObserver(measure)
      sizes.observe(element)
    },
    { flush: 'post', immediate: true },
  )
  onBeforeUnmount(() => {
    clearTimeout(still)
    sizes?.disconnect()
    box.value?.removeEventListener('scroll', scrolled)
  })
  // A list that became shorter may have lost the scroll position.
  watch(count, measure, { flush: 'post' })

  const from = computed(() => Math.max(0, Math.min(Math.floor(top.value / rowHeight()), count() - 1) - BEYOND))
  const to = computed(() => Math.min(count(), Math.ceil((top.value + height.value) / rowHeight()) + BEYOND))
  function scrollTo(index: number): void {
    const element = box.value
    if (!element) return
    const start = index * rowHeight()
    const room = element.clientHeight - head - rowHeight()
    if (start < element.scrollTop) element.scrollTop = start
    else if (start > element.scrollTop + room) element.scrollTop = start - room
    measure()
  }
  return { from, to, width, rushing, scrollTo }
}
