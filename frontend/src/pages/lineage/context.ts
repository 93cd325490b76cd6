/**
 * What the parts of the lineage page share: the runs with what is known of them, and what is aimed at, brushed and
 * pointed at. Given by LineagePage.
 */
import { inject, provide, type InjectionKey, type Ref, type ShallowRef } from 'vue'

import type { Axis } from './axes'
import type { Brush } from './brushes'
import type { Worth } from './colouring'
import type { LineageTable } from './table'

export interface LineageContext {
  /**
   * Null until the first answer; another object after each change. Rows keep no place from one to the next, runs keep
   * their numbers.
   */
  table: Readonly<ShallowRef<LineageTable | null>>
  /** In the address, as are target, axes and brushes. */
  query: Ref<string>
  /** Name of a number column; empty where nothing can be aimed at. */
  target: Ref<string>
  /** Those of columns that are there. */
  axes: Ref<readonly Axis[]>
  /** By column. */
  brushes: Ref<ReadonlyMap<string, Brush>>
  /**
   * Shows other brushes without writing them down, while one is dragged; null takes that back, as does setting
   * `brushes`.
   */
  preview: (brushes: ReadonlyMap<string, Brush> | null) => void
  /** The same as `passing` and `ends`, at once while a brush is dragged: for views that follow within a frame. */
  now: { readonly passing: Readonly<Ref<Uint8Array>>; readonly ends: LineageContext['ends'] }
  /** By row, 1 = within all brushes and not hidden; a new array after each change. */
  passing: Readonly<ShallowRef<Uint8Array>>
  passingCount: Readonly<Ref<number>>
  /** By row, the place of its colour in `palette`. */
  shades: Readonly<ShallowRef<Uint8Array>>
  /** What rows are worth by the target, whatever is brushed. */
  worth: Readonly<Ref<Worth>>
  /**
   * CSS colours from the worst to the best; behind them that of runs without a target, then that of runs that do not
   * pass.
   */
  palette: Readonly<Ref<readonly string[]>>
  /** The values of the target at the ends of the palette, the worst first; null where it has none. */
  ends: Readonly<Ref<readonly [number, number] | null>>
  /** By the target; grey where the row does not pass. */
  colourOf: (row: number) => string
  /** Columns of parameters, the one that mattered most first; told by the cards as soon as they know. */
  ranking: Ref<readonly string[]>
  /** The row under the pointer, in every view. */
  highlighted: Ref<number | null>
  /** Rows of runs that people hid on this page. */
  hidden: Readonly<Ref<ReadonlySet<number>>>
  /** Numbers of the runs that are ticked. */
  selection: Ref<ReadonlySet<number>>
  /** The number of the run whose details are open beside the page. */
  opened: Ref<number | null>
}

const KEY: InjectionKey<LineageContext> = Symbol('lineage')

export function provideLineage(context: LineageContext): void {
  provide(KEY, context)
}

/** @throws Error outside of the lineage page */
export function useLineage(): LineageContext {
  const context = inject(KEY)
  if (!context) throw new Error('There is no lineage page around this component.')
  return context
}
