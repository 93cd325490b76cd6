/** Colours the boxes of each open container, with one legend for all of them. Called by the page. */
import { computed, onScopeDispose, shallowReactive, shallowRef, watch } from 'vue'

import type { ApiProblem } from '../../../data/types'
import type { Box, Colouring, Overlay } from '../../../graphs/answers'
import { wasLeft } from '../../../data/untilDone'
import {
  legendOf,
  legendOfKernels,
  limitsOfAmounts,
  limitsOfCounts,
  limitsOfNorms,
  paletteOfKernels,
  paletteOfLimits,
  paletteOfNames,
  paletteOfOperators,
  type LegendEntry,
  type Palette,
} from './palettes'
import type { GraphModel } from '../../../graphs/useGraph'
import type { Family } from './opFamilies'
import type { ColourBy } from '../viewParams'

/** Sub-structures and their names, ordered by number, so that a link always shows the same colours. */
function templatesIn(model: GraphModel, shown: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const path of shown)
    for (const { substructure, name } of model.insides.get(path)?.boxes ?? [])
      if (substructure !== null && !names.has(substructure)) names.set(substructure, name)
  return new Map([...names].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })))
}

/** Values that the server lists in its legends, most frequent first. */
function namesIn(found: readonly Colouring[]): Map<string, string> {
  const labels = new Map<string, { label: string; count: number }>()
  for (const { legend } of found)
    for (const { key, label, count } of legend)
      labels.set(key, { label, count: Math.max(count, labels.get(key)?.count ?? 0) })
  return new Map([...labels].sort(([, a], [, b]) => b.count - a.count).map(([key, { label }]) => [key, label]))
}

/** What the server colours boxes by; null if the page computes the colours itself. */
export const overlayOf = (colour: ColourBy): Overlay | null =>
  colour === 'template' || colour === 'none' ? null : colour

export interface ColourWords {
  amount: (value: number, unit: string | null) => string
  family: (family: Family) => string
  kernel: (number: string) => string
  more: (count: number) => string
  others: () => string
  /** Amounts that are not finite. */
  unlimited: () => string
  /** Boxes that have no colour. */
  unknown: (by: ColourBy) => string
}

/**
 * @param shown paths of the visible insides; others may be loaded already
 * @param isDrawn whether a box of them is drawn
 */
export function useColouring(
  model: GraphModel,
  by: () => ColourBy,
  shown: () => readonly string[],
  isDrawn: (box: Box, container: string) => boolean,
  words: ColourWords,
) {
  const fetched = shallowReactive(new Map<string, Colouring>())
  const problem = shallowRef<ApiProblem | null>(null)
  const asked = new Set<string>()
  let asking = new AbortController()

  const overlay = computed(() => overlayOf(by()))
  /** Colours that came with a box, or later after the choice changed. */
  const coloursOf = (box: string): Colouring | undefined => {
    const own = model.insides.get(box)?.overlay
    return fetched.get(box) ?? (own?.by === overlay.value ? own : undefined)
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
  watch(
    [() => [...model.insides.keys()], overlay, model.root],
    ([boxes, kind, root]) => {
      if (kind === null || !root) return
      for (const box of boxes) {
        if (asked.has(box) || coloursOf(box)) continue
        asked.add(box)
        void fetchOf(box, kind)
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => asking.abort())
  /** While a training runs, the values of the visible boxes are fetched again. */
  function refresh(): void {
    const kind = overlay.value
    if (kind === null || !model.root.value) return
    for (const path of shown()) if (coloursOf(path)) void fetchOf(path, kind)
  }

  /** The value that a box is coloured by, null if unknown. */
  const valueOf = (container: string, index: number): string | null => {
    const boxes = model.insides.get(container)?.boxes ?? []
    const at = boxes.findIndex((box) => box.index === index)
    return (by() === 'template' ? boxes[at]?.substructure : coloursOf(container)?.values[at]) ?? null
  }
  const found = computed(() => shown().flatMap((path) => coloursOf(path) ?? []))
  const operators = computed(() => paletteOfOperators(words.family))
  const kernels = computed(() => paletteOfKernels(words.kernel))
  const amounts = computed(() => {
    const known = found.value.filter(({ unit }) => unit !== null)
    return known.length ? { unit: known[0].unit, all: known.flatMap(({ values }) => values.map(Number)) } : null
  })
  function scaleOf(unit: string | null, all: readonly number[]): Palette {
    const most = all.reduce((a, b) => (Number.isFinite(b) ? Math.max(a, b) : a), 0)
    const limits = unit === 'norm' ? limitsOfNorms(all) : unit === 'hits' ? limitsOfCounts(most) : limitsOfAmounts(most)
    return paletteOfLimits(limits, (value) => words.amount(value, unit), words.unlimited())
  }
  /** Covers all open boxes, so that a box keeps its colour when others are hidden. */
  const palette = computed((): Palette => {
    if (by() === 'op') return operators.value
    if (by() === 'kernel') return kernels.value
    if (by() === 'template') return paletteOfNames(templatesIn(model, shown()), words.others())
    const scale = amounts.value
    return scale ? scaleOf(scale.unit, scale.all) : paletteOfNames(namesIn(found.value), words.others())
  })
  const entries = computed((): LegendEntry[] => {
    if (by() === 'none' || (overlay.value !== null && !found.value.length)) return []
    const drawn = shown().flatMap((path) =>
      (model.insides.get(path)?.boxes ?? [])
        .filter((box) => isDrawn(box, path))
        .map(({ index }) => valueOf(path, index)),
    )
    const told = legendOf(palette.value, drawn, words.unknown(by()))
    return by() === 'kernel' ? legendOfKernels(told, words.more) : told
  })
  /** From the top level of the graph: whether there are any values, and the step of the newest ones. */
  const top = computed(() => coloursOf(''))
  /**
   * The amount of a box as text, or the kernel of an operator; null if boxes are not coloured by amounts or kernels, or
   * if the value of this box is unknown.
   */
  const amountOf = (container: string, index: number): string | null => {
    const [value, unit] = [valueOf(container, index), coloursOf(container)?.unit ?? null]
    // A box with several kernels may have the colour of one of them.
    if (by() === 'kernel')
      return model.insides.get(container)?.boxes.some((box) => box.index === index && box.operators === 1)
        ? value
        : null
    if (value === null || unit === null) return null
    return Number.isFinite(Number(value)) ? words.amount(Number(value), unit) : words.unlimited()
  }
  /** The colour of a box, or null. This is a new function whenever a drawn box changes its colour. */
  const colourOf = computed((): ((container: string, index: number) => string | null) => {
    if (by() === 'none') return () => null
    // Families have fixed colours. Drawn boxes change only when colours arrive late or another graph is shown.
    if (by() === 'op') void [fetched.size, model.root.value]
    const { entryOf } = palette.value
    // Every paint asks for the colours of all boxes, so the colours of a container are computed once.
    const known = new Map<string, ReadonlyMap<number, string | null>>()
    return (container, index) => {
      let colours = known.get(container)
      if (!colours) {
        const [boxes, values] = [model.insides.get(container)?.boxes, coloursOf(container)?.values]
        if (!boxes || (!values && by() !== 'template')) return null
        colours = new Map(
          boxes.map((box, at) => {
            const value = by() === 'template' ? box.substructure : (values?.[at] ?? null)
            return [box.index, value === null ? null : (entryOf(value)?.colour ?? null)]
          }),
        )
        known.set(container, colours)
      }
      return colours.get(index) ?? null
    }
  })
  return { colourOf, entries, problem, top, amountOf, refresh }
}
