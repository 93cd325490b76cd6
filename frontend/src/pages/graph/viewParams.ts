/** URL parameters of the graph page: the graph, the open boxes, the selection and the colouring. */
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
/** Colourings that need a profile, and all colourings that need values recorded by a run. */
const MEASURED: readonly ColourBy[] = ['time', 'measured_memory']
const TOLD: readonly ColourBy[] = [...MEASURED, 'gradient', 'hits']
/**
 * @param now the current choice; a link may ask for one that this graph does not have
 * @param measured whether the run has a profile
 * @param trained whether the graph belongs to one training, which may record values of its nodes
 */
export const colouringsOf = (now: ColourBy, measured: boolean, trained: boolean): readonly ColourBy[] =>
  COLOURINGS.filter((one) => one === now || ((trained || !TOLD.includes(one)) && (measured || !MEASURED.includes(one))))
export const EQUIVALENCES = ['op', 'attr', 'shape'] as const
export const BOOKKEEPINGS = ['through', 'drawn'] as const
export type Equivalence = (typeof EQUIVALENCES)[number]

/** What is followed from a node: a number of steps up or down, or the path to another node. */
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

/** A node drawn as part of a box: the box, and the node. */
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

/** The whole state of the view that a link carries. */
export function useViewParams() {
  return {
    /** The graph; null for the first one. */
    graph: useQueryParam(
      'graph',
      said(sourceParam, () => (t) => t('graph.edit.graph')),
    ),
    /** The graph that it is compared with. */
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
    /** The selected node inside the selected box. */
    held: useQueryParam(
      'held',
      said(heldParam, () => (t) => t('graph.edit.box')),
    ),
    reach: useQueryParam('reach', said(choiceParam(REACHES), chosen('reach'))),
    colour: useQueryParam('colour', said(choiceParam(COLOURINGS), chosen('colour'))),
    same: useQueryParam('same', said(choiceParam(EQUIVALENCES), chosen('same'))),
    /** Whether operators without computation are drawn; otherwise edges lead through them. */
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

/** Phases shown by a reach. */
export const phasesOf = (reach: Reach): readonly Reach[] => REACHES.slice(0, REACHES.indexOf(reach) + 1)
