/** A media query as a reference. */
import { onScopeDispose, ref, type Ref } from 'vue'

export function useMedia(text: string): Readonly<Ref<boolean>> {
  const query = window.matchMedia(text)
  const matches = ref(query.matches)
  const change = (event: MediaQueryListEvent): void => {
    matches.value = event.matches
  }
  query.addEventListener('change', change)
  onScopeDispose(() => query.removeEventListener('change', change), true)
  return matches
}
