/** The colours of boxes: of each open container, with one legend over all of them. Called by the page. */
import { computed, onScopeDispose, shallowReactive, shallowRef, watch } from 'vue'

import type { ApiProblem } from '../../data/types'
import { shades } from '../../design/sequential'
import type { Colouring, Overlay } from './answers'
import { wasLeft } from '../../data/untilDone'
import type { GraphModel } from './useGraph'
import { FAMILIES, familyOf, type Family } from './opFamilies'
import type { ColourBy } from './viewParams'

export interface LegendEntry {
  key: string
  label: string
  colour: string
}

/** Colours in the order in which they are given out; the last stands for everything else. */
const ORDER = [1, 3, 5, 6, 2, 8, 4, 9, 7, 10]
const OTHER = 'var(--control)'
const STEPS = shades('viridis', 5)

const tokenAt = (place: number): string => (place < ORDER.length ? `var(--run-${ORDER[place]})` : OTHER)

/** Legend of sub-structures: each with its own colour, in the order of their numbers, so that a link shows the same. */
function byTemplate(model: GraphModel, shown: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const path of shown) for (const { substructure, name } of model.insides.get(path)?.boxes ?? []) if (substructure !== null && !names.has(substructure)) names.set(substructure, name)
  return new Map([...names].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })))
}

/** The step of an amount between nothing and the most there is, on a scale of squares: a few boxes hold almost all. */
const stepOf = (value: number, most: number): number => Math.min(STEPS.length - 1, Math.floor(Math.sqrt(most > 0 ? value / most : 0) * STEPS.length))

/** Colours of the kinds of operators, the same in every graph. */
const OF_FAMILY: Record<Family, string> = {
  product: 'var(--run-1)', norm: 'var(--run-3)', activation: 'var(--run-5)', elementwise: 'var(--run-10)', shape: 'var(--run-8)', reduce: 'var(--run-2)', update: 'var(--run-6)',
  order: 'var(--line-strong)', other: 'var(--run-4)',
}

/** What the server says boxes are coloured by; null where the page knows it itself. */
export const overlayOf = (colour: ColourBy): Overlay | null => (colour === 'template' || colour === 'none' ? null : colour)

export interface ColourWords {
  amount: (value: number, unit: string | null) => string
  family: (family: Family) => string
}

/** @param shown paths of the insides that are shown: others may be known already */
export function useColouring(model: GraphModel, by: () => ColourBy, shown: () => readonly string[], { amount, family }: ColourWords) {
  const fetched = shallowReactive(new Map<string, Colouring>())
  const problem = shallowRef<ApiProblem | null>(null)
  const asked = new Set<string>()
  let asking = new AbortController()

  const overlay = computed(() => overlayOf(by()))
  /** Colours that came with a box, or later because others were chosen since. */
  const coloursOf = (box: string): Colouring | undefined => {
    const own = model.insides.get(box)?.overlay
    return own?.by === overlay.value ? own : fetched.get(box)
  }
  async function fetchOf(box: string, kind: Overlay): Promise<void> {
    const { signal } = asking
    try {
      const found = await model.question<Colouring>('overlay', { box, by: kind }, signal)
      if (!signal.aborted) fetched.set(box, found)
    } catch (cause) {
      if (!wasLeft(cause) && !signal.aborted) problem.value = cause as ApiProblem
    }
  }
  watch([overlay, model.root], () => {
    asking.abort()
    asking = new AbortController()
    asked.clear()
    fetched.clear()
    problem.value = null
  })
  watch([() => [...model.insides.keys()], overlay, model.root], ([boxes, kind, root]) => {
    if (kind === null || !root) return
    for (const box of boxes) {
      if (asked.has(box) || coloursOf(box)) continue
      asked.add(box)
      void fetchOf(box, kind)
    }
  }, { immediate: true })
  onScopeDispose(() => asking.abort())

  const found = computed(() => shown().flatMap((path) => coloursOf(path) ?? []))
  /** The largest amount among boxes that are known; null where colours stand for kinds. */
  const most = computed(() => {
    const amounts = found.value.flatMap(({ unit, values }) => (unit === null ? [] : values.filter((value) => value !== null).map(Number)))
    return amounts.length ? Math.max(...amounts) : null
  })
  const entries = computed<LegendEntry[]>(() => {
    if (by() === 'template') return [...byTemplate(model, shown())].map(([key, label], at) => ({ key, label, colour: tokenAt(at) }))
    const unit = found.value.find((one) => one.unit !== null)?.unit ?? null
    const largest = most.value
    if (largest !== null) {
      return STEPS.map((colour, at) => ({ key: String(at), label: `≤ ${amount(largest * ((at + 1) / STEPS.length) ** 2, unit)}`, colour }))
    }
    if (by() === 'op') {
      const known = new Set(found.value.flatMap(({ legend }) => legend.map(({ key }) => familyOf(key))))
      return FAMILIES.filter((one) => known.has(one)).map((one) => ({ key: one, label: family(one), colour: OF_FAMILY[one] }))
    }
    const labels = new Map<string, { label: string; count: number }>()
    for (const { legend } of found.value) {
      for (const { key, label, count } of legend) labels.set(key, { label, count: Math.max(count, labels.get(key)?.count ?? 0) })
    }
    return [...labels].sort(([, a], [, b]) => b.count - a.count).map(([key, { label }], at) => ({ key, label, colour: tokenAt(at) }))
  })
  const colours = computed(() => new Map(entries.value.map(({ key, colour }) => [key, colour])))

  /** What a box is coloured by, null where that is not known. */
  const valueOf = (container: string, index: number): string | null => {
    const at = model.insides.get(container)?.boxes.findIndex((box) => box.index === index) ?? -1
    return coloursOf(container)?.values[at] ?? null
  }
  const ofTemplate = (paint: ReadonlyMap<string, string>) => (container: string, index: number): string | null => {
    const id = model.insides.get(container)?.boxes.find((box) => box.index === index)?.substructure
    return id === null || id === undefined ? null : paint.get(id) ?? null
  }
  /** The colour of a box, null for none. A new function where a box that is drawn gets another colour. */
  const colourOf = computed((): ((container: string, index: number) => string | null) => {
    const chosen = by()
    if (chosen === 'none') return () => null
    if (chosen === 'template') return ofTemplate(colours.value)
    if (chosen === 'op') {
      // Kinds have their colours whatever else is shown: only colours that come late change a box that is drawn.
      void fetched.size
      return (container, index) => {
        const value = valueOf(container, index)
        return value === null ? null : OF_FAMILY[familyOf(value)]
      }
    }
    const [paint, largest] = [colours.value, most.value]
    return (container, index) => {
      const value = valueOf(container, index)
      if (value === null) return null
      if (largest === null) return paint.get(value) ?? null
      return Number(value) > 0 ? STEPS[stepOf(Number(value), largest)] : null
    }
  })
  return { colourOf, entries, problem }
}
