/** The state of the page in the address: the trace, the view, the window, the selection, the slice, the table. */
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import type { Range } from './source'

export const VIEWS = ['overview', 'timeline', 'operators', 'memory', 'ranks', 'compare'] as const
export type View = (typeof VIEWS)[number]
export const COLUMNS = ['own', 'total', 'count', 'mean', 'name'] as const
export type Column = (typeof COLUMNS)[number]

/** Two moments in nanoseconds: `1200-5000`. */
export const rangeParam: QueryParam<Range | null> = {
  default: null,
  parse(text) {
    const [, begin, end] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
    return begin !== undefined && Number(begin) < Number(end) ? { begin: Number(begin), end: Number(end) } : undefined
  },
  format: (range) => range && `${Math.floor(range.begin)}-${Math.ceil(range.end)}`,
}

export const rowParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  format: (row) => (row === null ? null : String(row)),
}

export const useViewParams = () => ({
  profile: useQueryParam('profile', textParam),
  view: useQueryParam('view', choiceParam<View>(VIEWS as unknown as [View, ...View[]])),
  window: useQueryParam('window', { ...rangeParam, drifts: () => true }),
  selection: useQueryParam('span', rangeParam),
  slice: useQueryParam('slice', rowParam),
  search: useQueryParam('q', textParam),
  by: useQueryParam('by', choiceParam<'name' | 'shape'>(['name', 'shape'])),
  form: useQueryParam('form', choiceParam<'table' | 'flame'>(['table', 'flame'])),
  stack: useQueryParam('stack', rowParam),
  other: useQueryParam('with', textParam),
  sort: useQueryParam('sort', choiceParam<Column>(COLUMNS as unknown as [Column, ...Column[]])),
})
export type ViewParams = ReturnType<typeof useViewParams>
