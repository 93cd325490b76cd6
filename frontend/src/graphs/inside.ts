/** The inside of a box as the server tells it. What the canvas works with; nothing here fetches. */

export type BoxKind = 'node' | 'group' | 'one' | 'stack'
export type Phase = 'forward' | 'backward' | 'optimizer'
export type EdgeKind = 'data' | 'control' | 'monad'

/** How many nodes of a box are in both graphs of a comparison, in one only, or not the same in both. */
export interface BoxStatus {
  same: number
  added: number
  removed: number
  changed: number
}

export interface InsideBox {
  index: number
  kind: BoxKind
  name: string
  op: string | null
  nodes: number
  operators: number
  parameters: number
  consts: number
  phase: Phase
  /** Instances in a stack, otherwise 1. */
  count: number
  /** How many boxes opening it would show. */
  inside: number
  substructure: string | null
  type: string
  node: number | null
  params: readonly string[]
  params_count: number
  consts_count: number
  /** Instances that differ in type or attributes, or nearly. */
  variants: readonly number[]
  status: BoxStatus | null
  /** Names of the hubs that feed it and are not drawn. */
  proxies: readonly string[]
  pair: string | null
}

export interface InsideEdge {
  /** Index of a box, or `INPUT`. */
  source: number
  /** Index of a box, or `OUTPUT`. */
  target: number
  count: number
  kind: EdgeKind
  type: string
  types: number
  bytes: number | null
}

export interface StackInstance {
  instance: number
  name: string
  differs: boolean
}

export interface Inside {
  graph: string
  box: string
  template: string
  title: string
  boxes: readonly InsideBox[]
  edges: readonly InsideEdge[]
  instances: readonly StackInstance[] | null
}

/** The port of a container for what comes in. */
export const INPUT = -1
/** The port of a container for what goes out. */
export const OUTPUT = -2
