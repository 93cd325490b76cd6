/** State shared by the cards of the page, provided by ScalarsPage. */
import { inject, provide, type ComputedRef, type InjectionKey, type ShallowRef } from 'vue'

import type { ChartGroup } from '../../charts/chartGroup'
import type { ChartView } from '../../charts/view'
import type { RunGrouping } from './curves/grouping'
import type { LaidChart } from './layoutCharts'
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
  /** Shared by all charts; each chart chooses its y scale if that is automatic. */
  view: ComputedRef<ChartView>
  cursor: ComputedRef<number | null>
  /** Time of day when updates stopped; null while the connection is up. */
  staleSince: ComputedRef<string | null>
  /** The charts of the runs' own layouts. */
  laid: ComputedRef<readonly LaidChart[]>
  /** Label of the group of all runs. */
  allRuns: ComputedRef<string>
  /** The names of all cards, in the order of the page. */
  order: ShallowRef<readonly string[]>
  /** The mounted cards by name, with the actions of the keys. */
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
