/**
 * The types of the answers of /api/graphs (mindinsight/graphs/api.md), with the page's names. Used by its parts.
 */
import type { components } from '../data/schema'

type Schemas = components['schemas']

export type Box = Schemas['Box']
export type Edge = Schemas['SceneEdge']
export type Inside = Schemas['Inside']
export type Source = Schemas['GraphSource']
export type Pass = Schemas['GraphPass']
export type NodeDetails = Schemas['NodeDetail']
export type Places = Schemas['Places']
/** A search hit: a node, or a box. */
export type NodeHit = Schemas['FoundNode']
export type BoxHit = Schemas['FoundBox']
export type Hit = NodeHit | BoxHit
export type Found = Schemas['SearchResult']
export type Trace = Schemas['Trace']
export type ShortestPath = Schemas['Way']
export type Side = Schemas['Side']
export type InstanceDifferences = Schemas['Instances']
export type Colouring = Schemas['Overlay']
export type ChangeRow = Schemas['GraphChange']
export type Changes = Schemas['Changes']
export type ChangedEdge = Schemas['ChangedEdge']
export type ChangedEdges = Schemas['ChangedEdges']
export type Status = 'same' | 'added' | 'removed' | 'changed'
export type Overlay =
  'op' | 'device' | 'precision' | 'memory' | 'kernel' | 'time' | 'measured_memory' | 'gradient' | 'hits'
