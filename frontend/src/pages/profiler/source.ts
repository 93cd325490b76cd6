/** The profiler's answers: which traces there are, one of them, and its slices and sums in a window of time. */
import { api, answered, ask } from '../../data/api'
import type { components } from '../../data/schema'
import { ApiProblem } from '../../data/types'
import { untilDone } from '../../data/untilDone'

export type ProfileFile = components['schemas']['Profile']
export type Head = components['schemas']['Head']
export type Sum = components['schemas']['Sum']
export type SumList = components['schemas']['SumList']
export type Slice = components['schemas']['Slice']
export type SliceDetail = components['schemas']['SliceDetail']
export type Overview = components['schemas']['Overview']
export type FlameNode = components['schemas']['FlameNode']
export type Memory = components['schemas']['Memory']
export type Ranks = components['schemas']['Ranks']

/** A window of time in nanoseconds from the first slice on. */
export interface Range {
  begin: number
  end: number
}

/** Slices as columns, sorted by track, depth and start. Several that share a pixel are one, whose `count` says so. */
export interface Drawn {
  range: Range
  pixels: number
  start: Float64Array
  duration: Float64Array
  row: Uint32Array
  name: Uint32Array
  count: Uint32Array
  track: Uint16Array
  depth: Uint8Array
}

const VERSION = 1
const HEADER = 16

export const whole = ({ begin, end }: Range): Range => {
  const first = Math.max(0, Math.floor(begin))
  return { begin: first, end: Math.max(first + 1, Math.ceil(end)) }
}

export async function listProfiles(signal: AbortSignal): Promise<ProfileFile[]> {
  return (await ask(api.GET('/api/profiles', { signal }))).profiles
}

/**
 * A profile, once the worker has read it.
 * @param tell called with the share that has been read
 */
export async function openProfile(id: string, signal: AbortSignal, tell: (share: number) => void): Promise<Head> {
  const once = async () => ask(api.GET('/api/profiles/{uid}', { params: { path: { uid: id } }, signal }))
  const answer = await untilDone(
    once,
    ({ profile, head }) => {
      const problem = profile.problem
      if (profile.state === 'failed' && problem) {
        const detail = (problem['detail'] ?? {}) as Record<string, unknown>
        throw new ApiProblem(String(problem['code']), String(problem['message']), detail, 422)
      }
      tell(profile.progress)
      return head !== null
    },
    signal,
  )
  return answer.head as Head
}

export async function readSlices(id: string, range: Range, pixels: number, signal: AbortSignal): Promise<Drawn> {
  const query = { ...whole(range), pixels: Math.max(1, Math.min(8000, Math.round(pixels))) }
  const answer = await answered(
    api.GET('/api/profiles/{uid}/slices', {
      params: { path: { uid: id }, query },
      parseAs: 'arrayBuffer',
      signal,
    }),
  )
  return decode(answer.data as unknown as ArrayBuffer, query, query.pixels)
}

/** Reads the binary columns of `mindinsight/profiles/api.md`. */
export function decode(data: ArrayBuffer, range: Range, pixels: number): Drawn {
  const view = new DataView(data)
  const count = data.byteLength >= HEADER ? view.getUint32(4, true) : 0
  if (data.byteLength !== HEADER + 31 * count || view.getUint32(0, true) !== VERSION) {
    throw new ApiProblem('bad_frame', 'Slices arrived that this page cannot read. Reload it.', {}, 200)
  }
  const at = (bytes: number): number => HEADER + bytes * count
  return {
    range,
    pixels,
    start: new Float64Array(data, at(0), count),
    duration: new Float64Array(data, at(8), count),
    row: new Uint32Array(data, at(16), count),
    name: new Uint32Array(data, at(20), count),
    count: new Uint32Array(data, at(24), count),
    track: new Uint16Array(data, at(28), count),
    depth: new Uint8Array(data, at(30), count),
  }
}

export const readSums = async (id: string, range: Range, by: 'name' | 'shape', signal: AbortSignal): Promise<SumList> =>
  ask(api.GET('/api/profiles/{uid}/sums', { params: { path: { uid: id }, query: { ...whole(range), by } }, signal }))

export const readSlice = async (id: string, row: number, signal: AbortSignal): Promise<SliceDetail> =>
  ask(api.GET('/api/profiles/{uid}/slice', { params: { path: { uid: id }, query: { row } }, signal }))

export const readOverview = async (id: string, signal: AbortSignal): Promise<Overview> =>
  ask(api.GET('/api/profiles/{uid}/overview', { params: { path: { uid: id } }, signal }))

export const readFlame = async (id: string, range: Range, signal: AbortSignal): Promise<FlameNode[]> =>
  (await ask(api.GET('/api/profiles/{uid}/flame', { params: { path: { uid: id }, query: whole(range) }, signal })))
    .nodes

export const readMemory = async (id: string, signal: AbortSignal): Promise<Memory> =>
  ask(api.GET('/api/profiles/{uid}/memory', { params: { path: { uid: id } }, signal }))

export const readRanks = async (ids: readonly string[], signal: AbortSignal): Promise<Ranks> =>
  ask(api.GET('/api/profiles/ranks', { params: { query: { profiles: ids.join(',') } }, signal }))

/** The course of a counter: for each pixel with changes the time, the lowest and the highest value. */
export async function readCounter(
  id: string,
  counter: number,
  range: Range,
  pixels: number,
  signal: AbortSignal,
): Promise<number[][]> {
  const query = { ...whole(range), counter, pixels: Math.max(1, Math.min(8000, Math.round(pixels))) }
  return (await ask(api.GET('/api/profiles/{uid}/counter', { params: { path: { uid: id }, query }, signal }))).points
}

export const findSlice = async (id: string, text: string, after: number, back: boolean) =>
  ask(
    api.GET('/api/profiles/{uid}/find', {
      params: { path: { uid: id }, query: { text, after: Math.max(0, Math.floor(after)), back } },
    }),
  )
