/**
 * The data source of the tensor view: an interface for recorded tensors (`recorded.ts`) and other sources. Tensors for
 * comparison have keys that only their source understands.
 */
import type { components } from '../data/schema'
import type { TileAt } from './grid/viewport'

export type TensorStatistics = components['schemas']['TensorStatistics']
export type Found = components['schemas']['Found']
export type Difference = components['schemas']['Difference']
export const TARGETS = ['nan', 'inf', 'min', 'max', 'difference'] as const
export type Target = (typeof TARGETS)[number]

export interface Tolerance {
  rtol: number
  atol: number
}

export interface TileQuery extends TileAt {
  /** A slice that leaves at most two axes. */
  slice: string
  swap: boolean
  /** The tensor to subtract, or null. */
  other: string | null
}

export interface FindQuery {
  slice: string
  target: Target
  /** Index of the element, in C order, after which the search begins. */
  start: number
  backwards: boolean
  other: string | null
  tolerance: Tolerance
}

/** All methods fail with an ApiProblem or with an AbortError. */
export interface TensorSource {
  /** Key of the tensor; data fetched under one key is never shown under another. */
  readonly key: string
  statistics(slice: string, signal: AbortSignal): Promise<TensorStatistics>
  tile(query: TileQuery, signal: AbortSignal): Promise<ArrayBuffer>
  find(query: FindQuery, signal: AbortSignal): Promise<Found>
  difference(slice: string, other: string, tolerance: Tolerance, signal: AbortSignal): Promise<Difference>
  /** The download address of a slice. */
  fileAddress(slice: string, format: 'npy' | 'csv'): string
}
