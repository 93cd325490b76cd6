/** The state of the page in the address: visible charts, axes, smoothing, grouping and marks. */
import {
  SCALES,
  X_AXES,
  parseRules,
  parseSmoothing,
  rulesText,
  smoothingText,
  type Rule,
  type Smoothing,
  type XAxis,
} from '../../charts/view'
import type { Range } from '../../charts/scales/range'
import type { ScaleKind } from '../../charts/scales/scale'
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { chartsParam } from './ownCharts'
import { groupByParam } from './curves/grouping'
import { formatNames, parseNames } from './names'

export type YScale = 'auto' | ScaleKind

export const Y_SCALES: readonly [YScale, ...YScale[]] = ['auto', ...SCALES]
export const SUPERSEDED = ['show', 'hide'] as const
export type Superseded = (typeof SUPERSEDED)[number]
/** How many runs are drawn together; `auto` chooses by their number. */
export const MANY = ['auto', 'lines', 'bands', 'density', 'top'] as const
export type Many = (typeof MANY)[number]
/** The value by which `top` selects runs. */
export const RANKS = ['last-low', 'last-high', 'min', 'max'] as const
export type Rank = (typeof RANKS)[number]
export const GROUP_LINES = ['mean', 'median'] as const
export type GroupLine = (typeof GROUP_LINES)[number]
export const BANDS = ['std', 'se', 'quartiles', 'minmax', 'none'] as const
export type BandKind = (typeof BANDS)[number]
export const SWITCH = ['off', 'on'] as const
export const DEFAULT_SMOOTHING: Smoothing = { kind: 'ema', amount: 0.6 }

export interface Zoom {
  range: Range
  /** Whether the end of the range follows the newest point. */
  tail: boolean
}

export const axisParam: QueryParam<XAxis> = {
  default: 'step',
  parse: (text) => X_AXES.find((axis) => axis === text) ?? (/^tag:./.test(text) ? (text as XAxis) : undefined),
  format: (axis) => axis,
  chosen: true,
}

export const smoothParam: QueryParam<Smoothing> = {
  default: DEFAULT_SMOOTHING,
  parse: parseSmoothing,
  format: smoothingText,
}

export const rulesParam: QueryParam<readonly Rule[]> = {
  default: [],
  parse: parseRules,
  format: (rules) => (rules.length ? rulesText(rules) : null),
}

/** `1200~2400`; with an arrow, `1200~2400>`, the end follows the newest point. */
export const zoomParam: QueryParam<Zoom | null> = {
  default: null,
  parse(text) {
    const found = /^(-?[\d.e+]+)~(-?[\d.e+]+)(>?)$/.exec(text)
    if (!found) return undefined
    const range = { min: Number(found[1]), max: Number(found[2]) }
    return range.min < range.max ? { range, tail: found[3] === '>' } : undefined
  },
  format: (zoom) =>
    zoom && `${short(zoom.range.min, zoom.range)}~${short(zoom.range.max, zoom.range)}${zoom.tail ? '>' : ''}`,
  // A range that follows live points moves by itself, so this is no user's change.
  drifts: (before, after) => before?.tail === true && after?.tail === true,
}

/** Rounds an edge to a hundred-thousandth of its range, which may consist of very small numbers. */
function short(value: number, { min, max }: Range): string {
  return String(Number(value.toFixed(Math.min(20, Math.max(0, 5 - Math.floor(Math.log10(max - min)))))))
}

/** Pinned tags, in order; null before anything was pinned or unpinned. */
export const pinsParam: QueryParam<readonly string[] | null> = {
  default: null,
  parse(text) {
    if (text === 'none') return []
    try {
      return parseNames(text)
    } catch {
      return undefined // A link that was cut in the middle of an encoded character.
    }
  },
  format: (pins) => pins && (pins.length ? formatNames(pins) : 'none'),
}

export function useViewParams() {
  return {
    filter: useQueryParam('tag', textParam),
    axis: useQueryParam('x', axisParam),
    xScale: useQueryParam('xs', choiceParam(SCALES)),
    scale: useQueryParam('y', choiceParam(Y_SCALES)),
    smoothing: useQueryParam('smooth', smoothParam),
    robust: useQueryParam('outliers', choiceParam(['show', 'clip'] as const)),
    linked: useQueryParam('ylink', choiceParam(SWITCH)),
    rules: useQueryParam('mark', rulesParam),
    zoom: useQueryParam('range', zoomParam),
    pins: useQueryParam('pin', pinsParam),
    superseded: useQueryParam('superseded', choiceParam(SUPERSEDED)),
    many: useQueryParam('many', choiceParam(MANY)),
    rank: useQueryParam('rank', choiceParam(RANKS)),
    groupBy: useQueryParam('group', groupByParam),
    line: useQueryParam('line', choiceParam(GROUP_LINES)),
    band: useQueryParam('band', choiceParam(BANDS)),
    charts: useQueryParam('chart', chartsParam),
    full: useQueryParam('full', textParam),
  }
}

export type ViewParams = ReturnType<typeof useViewParams>
