/** `v-sideways` on what scrolls: fades the edge behind which there is more (`data-more` in `lists.css`). */
import { watch, type ObjectDirective, type Ref } from 'vue'

const ends = new WeakMap<HTMLElement, () => void>()

/** Where there is more than is in view. A pixel is less than anybody misses. */
function tell(element: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = element
  const left = scrollLeft > 1
  const right = scrollLeft + clientWidth < scrollWidth - 1
  const more = left && right ? 'both' : left ? 'left' : right ? 'right' : ''
  if (more) element.dataset['more'] = more
  else delete element.dataset['more']
}

/** The same for an element that no component made. It ends when nothing holds the element any more. */
export function fadeSideways(element: HTMLElement): void {
  const now = (): void => tell(element)
  const sizes = new ResizeObserver(now)
  for (const one of [element, ...element.children]) sizes.observe(one)
  element.addEventListener('scroll', now, { passive: true })
  ends.set(element, () => {
    sizes.disconnect()
    element.removeEventListener('scroll', now)
  })
  now()
}

export const vSideways: ObjectDirective<HTMLElement> = {
  mounted: fadeSideways,
  updated: tell,
  unmounted: (element) => ends.get(element)?.(),
}

/** The same for an element of a component that loads this later. It ends with the element. */
export function watchSideways(element: Readonly<Ref<HTMLElement | null>>): void {
  watch(
    element,
    (now, before) => {
      if (before) ends.get(before)?.()
      if (now) fadeSideways(now)
    },
    { immediate: true },
  )
}
