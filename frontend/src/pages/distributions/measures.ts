/** The change of each line, for sorting layers; requested when somebody sorts by it. Called by the page. */
import { onScopeDispose, shallowRef, watch } from 'vue'

import { api, ask } from '../../data/api'
import type { components } from '../../data/schema'
import type { RunTag } from './tags'

type WireMeasure = components['schemas']['HistogramMeasure']

export interface Measure {
  /** The change from the first histogram to the last one. */
  ks: number | null
  atZero: number | null
  maxAbs: number | null
}

/** The measure of a line of several series: the largest of each. */
export function measureOf({ parts }: RunTag, all: ReadonlyMap<number, WireMeasure>): Measure | null {
  const found = parts.flatMap(({ series }) => all.get(series) ?? [])
  if (!found.length) return null
  const most = (pick: (one: WireMeasure) => number | null): number | null => {
    const known = found.map(pick).filter((one) => one !== null)
    return known.length ? Math.max(...known) : null
  }
  return { ks: most((one) => one.ks), atZero: most((one) => one.at_zero), maxAbs: most((one) => one.max_abs) }
}

const AT_MOST_EVERY = 5000

/** Measures by the numbers of series, kept current while they are used. */
export function useMeasures(wanted: () => boolean, runs: () => string, version: () => unknown) {
  const measures = shallowRef<ReadonlyMap<number, WireMeasure>>(new Map())
  let turn = 0
  let rest: ReturnType<typeof setTimeout> | undefined
  let last = -Infinity
  async function load(): Promise<void> {
    const mine = ++turn
    last = performance.now()
    try {
      const body = await ask(api.GET('/api/distributions/measures', { params: { query: { runs: runs() } } }))
      if (mine === turn) measures.value = new Map(body.measures.map((one) => [one.series, one]))
    } catch {
      // The order does not change; the tags show the problem of the connection.
    }
  }
  watch(
    [wanted, runs, version],
    () => {
      clearTimeout(rest)
      if (wanted() && runs())
        rest = setTimeout(() => void load(), Math.max(0, last + AT_MOST_EVERY - performance.now()))
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(rest)
    turn++
  })
  return measures
}
