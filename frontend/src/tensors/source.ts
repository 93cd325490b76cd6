/**
 * Where the view of a tensor gets what it shows: the interface that recorded tensors (`recorded.ts`), and whatever else
 * has tensors, fulfil. Another tensor is named by a text that only its source understands.
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
  /** A slice that leaves up to two axes. */
  slice: string
  swap: boolean
  /** The tensor that is taken away from this one, or null. */
  other: string | null
}

export interface FindQuery {
  slice: string
  target: Target
  /** Number of the element, in C order, behind which to begin. */
  start: number
  backwards: boolean
  other: string | null
  tolerance: Tolerance
}

/** All of them fail with an ApiProblem, or with an AbortError. */
export interface TensorSource {
  /** Names the tensor; what was fetched under one key is never shown under another. */
  readonly key: string
  statistics(slice: string, signal: AbortSignal): Promise<TensorStatistics>
  tile(query: TileQuery, signal: AbortSignal): Promise<ArrayBuffer>
  find(query: FindQuery, signal: AbortSignal): Promise<Found>
  difference(slice: string, other: string, tolerance: Tolerance, signal: AbortSignal): Promise<Difference>
  /** Where a slice can be downloaded. */
  fileAddress(slice: string, format: 'npy' | 'csv'): string
}
