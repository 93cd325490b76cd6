/** Charts that trainings arranged themselves: custom-scalars layouts of TensorBoard files. Called by the page. */
import { computed, onScopeDispose, shallowRef, watch, type ComputedRef } from 'vue'

import { api, ask } from '../../data/api'
import { useRuns } from '../../data/runs/runs'
import type { components } from '../../data/schema'
import { freeTitle, MOST_TAGS, type OwnChart } from './ownCharts'

type WireChart = components['schemas']['LayoutChart']

export interface LaidChart extends OwnChart {
  category: string
}

/** Longer patterns, and those that repeat a repetition, could take minutes: they are taken as plain names. */
const LONGEST = 200
const REPEATED = /[+*}]\)*[+*{]|\([^()]*[+*|{][^()]*\)[+*{]/

/** The test for one pattern of a layout: it must match from the start of a tag. */
export function patternTest(pattern: string): (tag: string) => boolean {
  if (pattern.length <= LONGEST && !REPEATED.test(pattern)) {
    try {
      const found = new RegExp(`^(?:${pattern})`)
      return (tag) => tag === pattern || found.test(tag)
    } catch {
      // No expression that a browser knows.
    }
  }
  return (tag) => tag === pattern
}

/**
 * The charts of layouts over the tags that there are; those without any are left out, the same of several runs are one.
 * @param own the user's charts: one of the same title stands for that of the layout
 */
export function laidCharts(
  wire: readonly WireChart[],
  names: readonly string[],
  own: readonly OwnChart[] = [],
): LaidChart[] {
  const known = new Set(names)
  const charts = new Map<string, LaidChart>()
  for (const { category, title, patterns, tags } of wire) {
    const key = JSON.stringify([category, title])
    const tests = patterns.map(patternTest)
    const found = [...tags.filter((tag) => known.has(tag)), ...names.filter((tag) => tests.some((test) => test(tag)))]
    const before = charts.get(key)
    const all = [...new Set([...(before?.tags ?? []), ...found])].slice(0, MOST_TAGS)
    if (!all.length) continue
    const wanted = title || all.join(' + ')
    charts.set(key, { category, title: before?.title ?? freeTitle(wanted, [...charts.values()]), tags: all })
  }
  const taken = new Set(own.map(({ title }) => title))
  return [...charts.values()].filter(({ title }) => !taken.has(title))
}

/** The charts of the visible runs' layouts. */
export function useLaidCharts(
  names: () => readonly string[],
  own: () => readonly OwnChart[],
): ComputedRef<LaidChart[]> {
  const runs = useRuns()
  const wire = shallowRef<readonly WireChart[]>([])
  let turn = 0
  /** Only TensorBoard's writers have layouts. */
  const asked = computed(() =>
    [...runs.visible]
      .filter((run) => runs.byNumber.get(run)?.writer === 'tensorboard')
      .sort((a, b) => a - b)
      .join(','),
  )
  watch(
    [asked, () => names().length],
    async ([of, count]) => {
      const mine = ++turn
      if (!of || !count) {
        wire.value = []
        return
      }
      try {
        const { charts } = await ask(api.GET('/api/scalars/layouts', { params: { query: { runs: of } } }))
        if (mine === turn) wire.value = charts
      } catch {
        // Every tag has its chart without a layout.
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => turn++)
  return computed(() => laidCharts(wire.value, names(), own()))
}
