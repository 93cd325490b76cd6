/** URL parameters of the cards: the columns of the plots, and the compared runs. */
import type { Ref } from 'vue'

import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../../scaffold/viewState'
import { takenApart, together } from '../lists'

/** Limits of columns and of runs side by side. */
export const MOST_CELLS = 8
export const MOST_COMPARED = 20

const listParam: QueryParam<readonly string[]> = {
  default: [],
  parse: (text) => takenApart(text, '~'),
  format: (names) => together(names, '~') || null,
}

const runsParam: QueryParam<readonly number[]> = {
  default: [],
  parse: (text) =>
    [...new Set(text.split(',').map(Number))].filter((run) => Number.isInteger(run) && run > 0).slice(0, MOST_COMPARED),
  format: (runs) => runs.join(',') || null,
}

const runParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  format: (run) => (run === null ? null : String(run)),
}

export interface CardParams {
  view: Ref<'importance' | 'histogram'>
  /** Columns on the x and y axes; empty for the most important parameter and the target. */
  x: Ref<string>
  y: Ref<string>
  /** Axes that do not have their standard scale: `x`, `y` or both. */
  bent: Ref<readonly string[]>
  matrix: Ref<readonly string[]>
  compare: Ref<readonly number[]>
  gap: Ref<number | null>
}

export function useCardParams(): CardParams {
  return {
    view: useQueryParam('card', choiceParam(['importance', 'histogram'])),
    x: useQueryParam('x', textParam),
    y: useQueryParam('y', textParam),
    bent: useQueryParam('bent', listParam),
    matrix: useQueryParam('matrix', listParam),
    compare: useQueryParam('compare', runsParam),
    gap: useQueryParam('gap', runParam),
  }
}
