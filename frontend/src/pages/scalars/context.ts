/** What the cards of the page share, so that it is not handed through every level: given by ScalarsPage. */
import { inject, provide, type ComputedRef, type InjectionKey, type ShallowRef } from 'vue'

import type { ChartGroup } from '../../charts/chartGroup'
import type { ChartView } from '../../charts/view'
import type { RunGrouping } from './curves/grouping'
import type { TagIndex } from './tagIndex'
import type { ViewParams } from './viewParams'

export interface CardActions {
  table(): void
  pin(): void
  full(): void
  export(): void
  focus(): void
}

export interface ScalarsContext {
  index: TagIndex
  params: ViewParams
  group: ChartGroup
  grouping: RunGrouping
  /** Of all charts; each one still decides on its y scale where that is left to it. */
  view: ComputedRef<ChartView>
  cursor: ComputedRef<number | null>
  /** Time of day since when nothing new can come; null while the connection stands. */
  staleSince: ComputedRef<string | null>
  /** What the group of all runs is called. */
  allRuns: ComputedRef<string>
  /** The names of all cards, in the order of the page. */
  order: ShallowRef<readonly string[]>
  /** The cards that are mounted, by name, and what keys do to them. */
  cards: Map<string, CardActions>
  /** The card that keys act on. */
  current: ShallowRef<string | null>
  pick(step: number | null): void
}

const KEY: InjectionKey<ScalarsContext> = Symbol('scalars')

export function provideScalars(context: ScalarsContext): void {
  provide(KEY, context)
}

/** @throws Error outside of the scalars page */
export function useScalars(): ScalarsContext {
  const context = inject(KEY)
  if (!context) throw new Error('There is no scalars page around this component.')
  return context
}
