/**
 * Which rows of a long table of rows of one height are in view. A few lines instead of a library for lists of any kind:
 * this is the first page, and every kilobyte of it is waited for.
 */
import { computed, onBeforeUnmount, ref, watch, type ComputedRef, type Ref } from 'vue'

/** Rows beyond the edges, so that a turn of the wheel finds them drawn. */
const BEYOND = 8
const STANDS_STILL_AFTER = 120

export interface FixedRows {
  /** The first row to draw and the one behind the last. */
  from: ComputedRef<number>
  to: ComputedRef<number>
  /** Pixels that the element that scrolls is wide. */
  width: Ref<number>
  /** Whether rows rush by at the moment. */
  rushing: Ref<boolean>
  scrollTo: (index: number) => void
}

/**
 * @param box the element that scrolls
 * @param head pixels of the head that stays over the first rows
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
    // Only what is cheap: to ask for a height would lay the table out once more.
    top.value = box.value?.scrollTop ?? 0
    if (Math.abs(top.value - before) > rowHeight()) rushing.value = true
    clearTimeout(still)
    still = setTimeout(() => (rushing.value = false), STANDS_STILL_AFTER)
  }
  // The element may come later than what it is in: while rows are loading there is none.
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
  // A list that shrank may have left the place that was scrolled to.
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
