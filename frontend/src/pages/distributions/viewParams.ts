/** The state of the page in the address: filter, view, order, the enlarged card and its comparison. */
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { CARDS, SORTS } from './layout'
import { POOLS } from './pools'
import { FORMATS } from './drawing/formats'
import { SCALES } from './drawing/look'
import { HEIGHTS, VIEWS } from './drawing/scene'
import { AXES } from './source'

/** The content of the large view: `run:tag`, empty for the first, `none` if it is closed. */
export const CLOSED = 'none'

export const wholeParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
  format: (value) => (value === null ? null : String(value)),
}

export function useViewParams() {
  return {
    filter: useQueryParam('tag', textParam),
    view: useQueryParam('view', choiceParam(VIEWS)),
    axis: useQueryParam('x', choiceParam(AXES)),
    height: useQueryParam('y', choiceParam(HEIGHTS)),
    format: useQueryParam('guide', choiceParam(FORMATS)),
    together: useQueryParam('pool', choiceParam(POOLS)),
    cards: useQueryParam('card', choiceParam(CARDS)),
    scale: useQueryParam('scale', choiceParam(SCALES)),
    sort: useQueryParam('sort', choiceParam(SORTS)),
    open: useQueryParam('open', textParam),
    other: useQueryParam('with', wholeParam),
    from: useQueryParam('from', wholeParam),
  }
}
