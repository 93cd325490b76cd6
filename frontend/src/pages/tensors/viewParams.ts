/** The state of the page in the address: the tensor, its slice, the display, and the comparison. */
import { onScopeDispose, ref, watch, type Ref } from 'vue'

import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { CLIPS, MAPS } from '../../tensors/palette'
import { NOTATIONS } from '../../tensors/tiles'
import { VIEWS, type Cell, type TensorState } from '../../tensors/useTensor'

/** A tensor by the beginning of its run's id and its tag; the step cursor selects the step. */
export interface Pick {
  run: string
  tag: string
}

/** The comparison: the step before, one step, another run, another tag. */
export type Against =
  { kind: 'previous' } | { kind: 'step'; step: number } | { kind: 'run'; run: string } | { kind: 'tag'; tag: string }

export const pickParam: QueryParam<Pick | null> = {
  default: null,
  parse(text) {
    const [, run, tag] = /^([^~]+)~(.+)$/s.exec(text) ?? []
    return run && tag ? { run, tag } : undefined
  },
  format: (pick) => pick && `${pick.run}~${pick.tag}`,
}

export const againstParam: QueryParam<Against | null> = {
  default: null,
  parse(text) {
    if (text === 'previous') return { kind: 'previous' }
    const [, kind, value] = /^(step|run|tag)~(.+)$/s.exec(text) ?? []
    if (kind === 'run') return { kind, run: value }
    if (kind === 'tag') return { kind, tag: value }
    return kind === 'step' && /^-?\d{1,15}$/.test(value) ? { kind, step: Number(value) } : undefined
  },
  format(against) {
    if (!against) return null
    if (against.kind === 'previous') return 'previous'
    return against.kind === 'step'
      ? `step~${against.step}`
      : against.kind === 'run'
        ? `run~${against.run}`
        : `tag~${against.tag}`
  },
}

const flag = (name: string): QueryParam<boolean> => ({
  default: false,
  parse: (text) => (text === '1' ? true : undefined),
  format: (value) => (value ? '1' : null),
  say: (value) => (t) =>
    t('app.edit.value', { name: t(`edits.param.${name}`), value: t(`edits.word.${value ? 'on' : 'off'}`) }),
})

/** `101.74` */
export const cellParam: QueryParam<Cell> = {
  default: { row: 0, column: 0 },
  parse(text) {
    const [, row, column] = /^(\d{1,10})\.(\d{1,10})$/.exec(text) ?? []
    return row ? { row: Number(row), column: Number(column) } : undefined
  },
  format: ({ row, column }) => (row || column ? `${row}.${column}` : null),
  drifts: () => true,
}

const zoomParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (Number(text) > 0 && Number(text) <= 1000 ? Number(text) : undefined),
  format: (value) => (value === null ? null : String(Number(value.toPrecision(4)))),
  drifts: () => true,
}

/** `2-1.3-0`: axis 2 at 1, axis 3 at 0. */
export const restParam: QueryParam<ReadonlyMap<number, number>> = {
  default: new Map(),
  parse(text) {
    const pairs = text.split('.').map((part) => /^(\d{1,2})-(\d{1,10})$/.exec(part))
    return pairs.every((pair) => pair)
      ? new Map(pairs.map((pair) => [Number(pair?.[1]), Number(pair?.[2])]))
      : undefined
  },
  format: (rest) =>
    [...rest]
      .filter(([, at]) => at > 0)
      .map(([axis, at]) => `${axis}-${at}`)
      .join('.') || null,
}

const tolerance = (standard: number): QueryParam<number> => ({
  default: standard,
  parse: (text) => (text !== '' && Number(text) >= 0 && Number.isFinite(Number(text)) ? Number(text) : undefined),
  format: String,
})

/** Values that change with every key press or wheel turn are written to the address when they rest. */
const RESTS_AFTER = 250
function resting<T>(param: Ref<T>, same: (a: T, b: T) => boolean): Ref<T> {
  const now = ref(param.value) as Ref<T>
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The last text of this parameter in the address; changes of other parameters do not affect it. */
  let written = param.value
  watch(now, (value) => {
    clearTimeout(timer)
    if (same(value, written)) return
    timer = setTimeout(() => {
      written = value
      param.value = value
    }, RESTS_AFTER)
  })
  watch(param, (value) => {
    if (same(value, written)) return
    written = value
    clearTimeout(timer)
    now.value = value
  })
  onScopeDispose(() => clearTimeout(timer))
  return now
}

export function useViewParams() {
  const state: TensorState = {
    view: useQueryParam('view', choiceParam(VIEWS)),
    slice: useQueryParam('slice', textParam),
    rest: useQueryParam('rest', restParam),
    swap: useQueryParam('swap', flag('swap')),
    cell: resting(useQueryParam('cell', cellParam), (a, b) => a.row === b.row && a.column === b.column),
    zoom: resting(useQueryParam('zoom', zoomParam), Object.is),
    map: useQueryParam('map', choiceParam(MAPS)),
    clip: useQueryParam('clip', choiceParam(CLIPS)),
    notation: useQueryParam('as', choiceParam(NOTATIONS)),
    rtol: useQueryParam('rtol', tolerance(1e-3)),
    atol: useQueryParam('atol', tolerance(1e-6)),
    signed: useQueryParam('signed', flag('signed')),
  }
  return {
    state,
    filter: useQueryParam('tag', textParam),
    chosen: useQueryParam('tensor', pickParam),
    against: useQueryParam('with', againstParam),
    panel: useQueryParam('panel', choiceParam(['auto', 'open', 'closed'])),
  }
}
