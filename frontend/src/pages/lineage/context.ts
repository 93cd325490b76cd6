/**
 * State shared by the parts of the lineage page: the table of runs, target, brushes and highlighted run. Provided by
 * LineagePage.
 */
import { inject, provide, type InjectionKey, type Ref, type ShallowRef } from 'vue'

import type { Axis } from './axes'
import type { Brush } from './brushes'
import type { Worth } from './colouring'
import type { LineageTable } from './table'

export interface LineageContext {
  /**
   * Null until the first answer; a new object after each change. Row indices change between tables, run numbers do not.
   */
  table: Readonly<ShallowRef<LineageTable | null>>
  /** In the address, like target, axes and brushes. */
  query: Ref<string>
  /** Name of a numeric column; empty if there is none. */
  target: Ref<string>
  /** Axes of existing columns. */
  axes: Ref<readonly Axis[]>
  /** By column. */
  brushes: Ref<ReadonlyMap<string, Brush>>
  /**
   * Shows other brushes without storing them while one is dragged; null restores the stored ones, as setting `brushes`
   * does.
   */
  preview: (brushes: ReadonlyMap<string, Brush> | null) => void
  /** Like `passing` and `ends`, but without delay during a drag: for views that follow within a frame. */
  now: { readonly passing: Readonly<Ref<Uint8Array>>; readonly ends: LineageContext['ends'] }
  /** By row, 1 if it is within all brushes and not hidden; a new array after each change. */
  passing: Readonly<ShallowRef<Uint8Array>>
  passingCount: Readonly<Ref<number>>
  /** By row, the index of its colour in `palette`. */
  shades: Readonly<ShallowRef<Uint8Array>>
  /** Levels of the rows by target, independent of the brushes. */
  worth: Readonly<Ref<Worth>>
  /**
   * CSS colours from the worst to the best, followed by that of runs without a target and that of runs outside the
   * brushes.
   */
  palette: Readonly<Ref<readonly string[]>>
  /** Target values at the ends of the palette, worst first; null if there are none. */
  ends: Readonly<Ref<readonly [number, number] | null>>
  /** Colour by target; grey if the row does not pass. */
  colourOf: (row: number) => string
  /** Columns of parameters by importance, highest first; set by the cards once it is known. */
  ranking: Ref<readonly string[]>
  /** The highlighted row in all views. */
  highlighted: Ref<number | null>
  /** Rows of runs that users hid on this page. */
  hidden: Readonly<Ref<ReadonlySet<number>>>
  /** Numbers of the selected runs. */
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
