/**
 * The part of the address that the page of graphs reads and writes: the graph, what is open, what is chosen, how it is
 * coloured.
 */
import type { Say } from '../../scaffold/history'
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { isPath } from '../../graphs/paths'
import { innermost, withContainers } from './openBoxes'

export const REACHES = ['forward', 'backward', 'optimizer'] as const
export type Reach = (typeof REACHES)[number]
export const COLOURINGS = [
  'op',
  'template',
  'precision',
  'device',
  'memory',
  'kernel',
  'time',
  'measured_memory',
  'gradient',
  'hits',
  'none',
] as const
export type ColourBy = (typeof COLOURINGS)[number]
/** Those that only a run with a profile has, and all that a run tells of its nodes. */
const MEASURED: readonly ColourBy[] = ['time', 'measured_memory']
const TOLD: readonly ColourBy[] = [...MEASURED, 'gradient', 'hits']
/**
 * @param now what is chosen: a link may ask for what is not there
 * @param measured whether the run has a profile
 * @param trained whether this is the graph of one training, which may tell of its nodes
 */
export const colouringsOf = (now: ColourBy, measured: boolean, trained: boolean): readonly ColourBy[] =>
  COLOURINGS.filter((one) => one === now || ((trained || !TOLD.includes(one)) && (measured || !MEASURED.includes(one))))
export const EQUIVALENCES = ['op', 'attr', 'shape'] as const
export const BOOKKEEPINGS = ['through', 'drawn'] as const
export type Equivalence = (typeof EQUIVALENCES)[number]

/** What is followed from a node: a number of steps up or down, or the way to another node. */
export type Followed = { kind: 'up' | 'down'; node: number; steps: number } | { kind: 'path'; node: number; to: number }

const openParam: QueryParam<string[]> = {
  default: [],
  parse: (text) => (text.split('~').every(isPath) ? withContainers(text.split('~').filter(Boolean)) : undefined),
  format: (value) => innermost(value).join('~') || null,
}

const sourceParam: QueryParam<string | null> = {
  default: null,
  parse: (text) => text || undefined,
  format: (value) => value,
}

const boxParam: QueryParam<string | null> = {
  default: null,
  parse: (text) => (isPath(text) && text ? text : undefined),
  format: (value) => value,
}

export const followedParam: QueryParam<Followed | null> = {
  default: null,
  parse: (text) => {
    const [, kind, node, other] = /^(up|down|path)~(\d+)~(\d+)$/.exec(text) ?? []
    if (kind === 'path') return { kind, node: Number(node), to: Number(other) }
    return kind === 'up' || kind === 'down' ? { kind, node: Number(node), steps: Number(other) } : undefined
  },
  format: (value) => (value ? `${value.kind}~${value.node}~${value.kind === 'path' ? value.to : value.steps}` : null),
}

/** A node that is drawn as part of a box: the box, and the node. */
export interface Held {
  box: string
  node: number
}
const heldParam: QueryParam<Held | null> = {
  default: null,
  parse: (text) => {
    const [, box, node] = /^(.+)~(\d+)$/.exec(text) ?? []
    return box !== undefined && isPath(box) ? { box, node: Number(node) } : undefined
  },
  format: (value) => (value ? `${value.box}~${value.node}` : null),
}

const said = <T>(param: QueryParam<T>, say: (value: T) => Say): QueryParam<T> => ({ ...param, say })
const chosen =
  (name: string) =>
  (value: string): Say =>
  (t) =>
    t(`graph.edit.${name}`, { choice: t(`graph.${name}.${value}`) })

/** Everything about the view that a link carries. */
export function useViewParams() {
  return {
    /** The graph; null for the first there is. */
    graph: useQueryParam(
      'graph',
      said(sourceParam, () => (t) => t('graph.edit.graph')),
    ),
    /** What it is compared with. */
    against: useQueryParam(
      'with',
      said(sourceParam, (value) => (t) => t(value ? 'graph.edit.compared' : 'graph.edit.alone')),
    ),
    open: useQueryParam(
      'open',
      said(openParam, () => (t) => t('graph.edit.open')),
    ),
    box: useQueryParam(
      'box',
      said(boxParam, () => (t) => t('graph.edit.box')),
    ),
    /** A node that is looked at inside of the chosen box. */
    held: useQueryParam(
      'held',
      said(heldParam, () => (t) => t('graph.edit.box')),
    ),
    reach: useQueryParam('reach', said(choiceParam(REACHES), chosen('reach'))),
    colour: useQueryParam('colour', said(choiceParam(COLOURINGS), chosen('colour'))),
    same: useQueryParam('same', said(choiceParam(EQUIVALENCES), chosen('same'))),
    /** Whether operators that compute nothing are drawn, or edges lead through them. */
    bookkeeping: useQueryParam('order', said(choiceParam(BOOKKEEPINGS), chosen('bookkeeping'))),
    find: useQueryParam('find', textParam),
    followed: useQueryParam(
      'follow',
      said(followedParam, () => (t) => t('graph.edit.follow')),
    ),
    /** Which instances of the chosen stack are compared: `0~11`. */
    pair: useQueryParam(
      'pair',
      said(textParam, () => (t) => t('graph.edit.pair')),
    ),
    panel: useQueryParam('panel', choiceParam(['auto', 'open', 'closed'] as const)),
  }
}

export type ViewParams = ReturnType<typeof useViewParams>

/** Phases that a reach shows. */
export const phasesOf = (reach: Reach): readonly Reach[] => REACHES.slice(0, REACHES.indexOf(reach) + 1)
