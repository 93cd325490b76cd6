/** Which groups of the table are closed. They all are at first, if open they would be longer than a screen. */
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'

import type { RunOrder } from '../../../data/runs/runTable'

/** Pixels of a row, and of what is above and below the table. */
const ROW = 36
const AROUND = 160

export interface Folded {
  closed: ComputedRef<Pick<ReadonlySet<string>, 'has'>>
  toggle: (path: string) => void
}

export function useFolded(order: Readonly<Ref<RunOrder | null>>, by: Readonly<Ref<readonly string[]>>): Folded {
  /** The groups that a user has opened or closed. */
  const turned = shallowRef<ReadonlySet<string>>(new Set())
  /** Whether all are closed at first; null until the groups are known. */
  const atFirst = ref<boolean | null>(null)
  watch(by, () => {
    turned.value = new Set()
    atFirst.value = null
  })
  watch(
    order,
    (now) => {
      if (!now?.groups.length || atFirst.value !== null) return
      atFirst.value = (now.runs.length + now.groups.length) * ROW > window.innerHeight - AROUND
    },
    { immediate: true, flush: 'sync' },
  )
  return {
    closed: computed(() => {
      const [some, all] = [turned.value, atFirst.value === true]
      return { has: (path: string): boolean => some.has(path) !== all }
    }),
    toggle(path) {
      const next = new Set(turned.value)
      if (!next.delete(path)) next.add(path)
      turned.value = next
    },
  }
}
