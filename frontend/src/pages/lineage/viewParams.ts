/** URL parameters of the lineage page, besides the runs and the step shared by all pages. */
import type { WritableComputedRef } from 'vue'

import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { axesParam, type Axis } from './axes'
import { brushesParam, type Brushes } from './brushes'
import { takenApart, together } from './lists'

export interface Sort {
  column: string
  descending: boolean
}

/** A click on a column head sorts best first, the next click reverses. */
export function nextSort(sort: Sort | null, column: string, descendingFirst: boolean): Sort {
  return { column, descending: sort?.column === column ? !sort.descending : descendingFirst }
}

const listParam: QueryParam<readonly string[] | null> = {
  default: null,
  parse: (text) => [...new Set(takenApart(text, '~'))],
  format: (names) => names && (together(names, '~') || null),
}

const sortParam: QueryParam<Sort | null> = {
  default: null,
  parse: (text) =>
    text.replace(/^-/, '') ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined,
  format: (sort) => sort && `${sort.descending ? '-' : ''}${sort.column}`,
}

const openedParam: QueryParam<string | null> = { default: null, parse: (text) => text || undefined, format: (id) => id }

export interface ViewParams {
  view: WritableComputedRef<'model' | 'data'>
  query: WritableComputedRef<string>
  shelf: WritableComputedRef<'active' | 'archived' | 'all'>
  /** The target; empty for the standard choice. */
  target: WritableComputedRef<string>
  /** Null for the standard choice, as for the columns. */
  axes: WritableComputedRef<readonly Axis[] | null>
  brushes: WritableComputedRef<Brushes>
  columns: WritableComputedRef<readonly string[] | null>
  sort: WritableComputedRef<Sort | null>
  /** The beginning of the id of the run whose details are open. */
  opened: WritableComputedRef<string | null>
  /** Which rows the table lists. */
  rows: WritableComputedRef<'passing' | 'all' | 'selected'>
}

export function useViewParams(): ViewParams {
  return {
    view: useQueryParam('view', choiceParam(['model', 'data'] as const)),
    query: useQueryParam('q', textParam),
    shelf: useQueryParam('shelf', choiceParam(['active', 'archived', 'all'] as const)),
    target: useQueryParam('target', textParam),
    axes: useQueryParam('axes', axesParam),
    brushes: useQueryParam('brush', brushesParam),
    columns: useQueryParam('cols', listParam),
    sort: useQueryParam('sort', sortParam),
    opened: useQueryParam('run', openedParam),
    rows: useQueryParam('rows', choiceParam(['passing', 'all', 'selected'] as const)),
  }
}
