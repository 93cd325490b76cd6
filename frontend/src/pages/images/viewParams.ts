/** The state of the page in the address: filter, look, zoom, and which pictures are compared. */
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { MAPS } from './light'
import { MOST_ZOOM, WHOLE, type Zoom } from './zoom'

export const MODES = ['side', 'swipe', 'blink', 'difference'] as const
export const CHANNELS = ['mean', 'red', 'green', 'blue'] as const
export type Channel = (typeof CHANNELS)[number]
/** What the columns are: runs at one step, or steps of one run. */
export const COLUMNS = ['run', 'step'] as const
export type Columns = (typeof COLUMNS)[number]
/** Stands for all pictures of a record instead of the index of one. */
export const ALL_PICTURES = -1
export type Mode = (typeof MODES)[number]
export const SPEEDS = ['4', '1', '2', '10'] as const
export type Speed = (typeof SPEEDS)[number]

/** A compared picture: the beginning of its run's id, its tag, and its step if that is not the cursor's. */
export interface Pick {
  run: string
  tag: string
  step?: number
}

function numberParam(standard: number, low: number, high: number): QueryParam<number> {
  return {
    default: standard,
    parse(text) {
      const value = Number(text)
      return text !== '' && value >= low && value <= high ? value : undefined
    },
    format: (value) => String(Number(value.toFixed(2))),
  }
}

export const LEAST_LIGHT = 0.2
export const MOST_LIGHT = 3

/** `8~0.25~0.75`: the zoom factor and the centre. */
export const zoomParam: QueryParam<Zoom> = {
  default: WHOLE,
  parse(text) {
    const [scale, x, y] = text.split('~').map(Number)
    const sound = scale >= 1 && scale <= MOST_ZOOM && x >= 0 && x <= 1 && y >= 0 && y <= 1
    return sound ? { scale, x, y } : undefined
  },
  format: ({ scale, x, y }) => [scale, x, y].map((value) => Number(value.toFixed(4))).join('~'),
}

/** `1f0c~val/a`, or `1f0c@400~val/a` with a step. */
export const pickParam: QueryParam<Pick | null> = {
  default: null,
  parse(text) {
    const [, run, step, tag] = /^([^~@]+)(?:@(-?\d+))?~(.+)$/s.exec(text) ?? []
    return run && tag ? { run, tag, ...(step === undefined ? {} : { step: Number(step) }) } : undefined
  },
  format: (pick) => pick && `${pick.run}${pick.step === undefined ? '' : `@${pick.step}`}~${pick.tag}`,
}

export function useViewParams() {
  return {
    filter: useQueryParam('tag', textParam),
    brightness: useQueryParam('light', numberParam(1, LEAST_LIGHT, MOST_LIGHT)),
    contrast: useQueryParam('contrast', numberParam(1, LEAST_LIGHT, MOST_LIGHT)),
    gamma: useQueryParam('gamma', numberParam(1, LEAST_LIGHT, MOST_LIGHT)),
    map: useQueryParam('map', choiceParam(MAPS)),
    columns: useQueryParam('by', choiceParam(COLUMNS)),
    panel: useQueryParam('panel', choiceParam(['', 'light'])),
    channel: useQueryParam('channel', choiceParam(CHANNELS)),
    zoom: useQueryParam('zoom', zoomParam),
    number: useQueryParam('picture', numberParam(ALL_PICTURES, ALL_PICTURES, 9999)),
    film: useQueryParam('film', pickParam),
    first: useQueryParam('a', pickParam),
    second: useQueryParam('b', pickParam),
    mode: useQueryParam('compare', choiceParam(MODES)),
    speed: useQueryParam('speed', choiceParam(SPEEDS)),
  }
}
