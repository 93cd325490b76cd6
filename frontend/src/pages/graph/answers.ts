/** The shapes of the answers of /api/graphs, as the wire spells them (mindinsight/graphs/api.md). Used by the page's parts. */

export type Phase = 'forward' | 'backward' | 'optimizer'
export type BoxKind = 'node' | 'group' | 'one' | 'stack'
export type Status = 'same' | 'added' | 'removed' | 'changed'
export type Overlay = 'op' | 'device' | 'precision' | 'memory'

export interface Pass {
  graph: string
  name: string
}
export interface Source {
  graph: string
  run: number
  kind: 'graph' | 'pass' | 'dataset' | 'file'
  name: string
  step: number | null
  nodes: number | null
  passes: Pass[] | null
}

export interface Box {
  index: number
  kind: BoxKind
  name: string
  op: string | null
  /** Nodes that it holds; operators, parameters and constants among them. */
  nodes: number
  operators: number
  parameters: number
  consts: number
  phase: Phase
  /** Instances of a stack, 1 otherwise. */
  count: number
  /** Boxes that opening it would show, 0 for a node. */
  inside: number
  substructure: string | null
  type: string
  node: number | null
  params: string[]
  params_count: number
  consts_count: number
  variants: number[]
  status: Status | null
  proxies: string[]
  pair: string | null
}
export interface Edge {
  /** Index of a box; -1 is what comes into the container, -2 what leaves it. */
  source: number
  target: number
  count: number
  kind: 'data' | 'control' | 'monad'
  type: string
  types: number
  bytes: number | null
}
export interface Crumb {
  box: string
  name: string
  count: number | null
  instance: number | null
}
export interface Instance {
  instance: number
  name: string
  differs: boolean
}
export interface Inside {
  graph: string
  box: string
  template: string
  title: string
  crumbs: Crumb[]
  phase_counts: Record<string, number>
  boxes: Box[]
  edges: Edge[]
  instances: Instance[] | null
}

export interface Link {
  node: number
  name: string
  op: string
  type: string
  slot: number
  kind: string
  box: string
}
export interface NodeDetails {
  node: number
  name: string
  full_name: string
  op: string
  kind: string
  scope: string
  type: string
  attributes: Record<string, unknown>
  /** JSON, of constants and parameters. */
  value: string
  source: string
  inputs: Link[]
  inputs_count: number
  outputs: Link[]
  outputs_count: number
  box: string
  tags: { kind: 'tensors' | 'distributions'; tag: string }[]
  substructures: { substructure: string; name: string; occurrence: number; place: number }[]
  status: Status | null
}

export interface Hit {
  node: number
  name: string
  op: string
  scope: string
  type: string
  box: string
}
export interface Found {
  total: number
  first: number
  /** What is not understood of the query: a term, where it stands, and why. */
  error: { term: string; start: number; end: number; message: string } | null
  rows: Hit[]
  by_op: Record<string, number>
}

export interface Trace {
  nodes: number
  boxes: string[]
  complete: boolean
}
export interface ShortestPath {
  nodes: { node: number; name: string; op: string; box: string }[]
  directed: boolean
  reason: string | null
}
export interface Side {
  node: number
  name: string
  type: string
  attributes: Record<string, unknown>
}
export interface InstanceDifferences {
  places: { place: number; op: string; left: Side; right: Side; differs: string[] }[]
  total: number
}
export interface Colouring {
  /** Of each box of the inside: a key of the legend; of memory the bytes as text. */
  values: (string | null)[]
  legend: { key: string; label: string; count: number }[]
  unit: string | null
}
export interface ChangeRow {
  status: Status
  node: number
  name: string
  op: string
  box: string
  what: { field: string; left: string; right: string }[]
}
export interface Changes {
  first: number
  total: number
  counts: Record<Status, number>
  rows: ChangeRow[]
}
