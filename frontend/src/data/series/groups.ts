/**
 * The server's answers about several runs (`mindinsight/scalars/groups/api.md`): lines with bands, densities, and
 * how runs are grouped. Called by the scalars page.
 */
import { api, ask } from '../api'
import { FrameError } from '../frames'
import type { components } from '../schema'
import { ApiProblem } from '../types'

type Schemas = components['schemas']

export type GroupsBody = Omit<Schemas['GroupsBody'], 'format' | 'tag' | 'groups'>
export type DensityBody = Omit<Schemas['DensityBody'], 'format' | 'tag' | 'runs'>
export type Grouping = Schemas['Groupings']
export type Band = NonNullable<Schemas['GroupsBody']['band']>

/** The common part of both kinds of answers. */
interface Shown {
  /** x of the edges. */
  low: number
  high: number
  /** Number of runs with points of the tag. */
  members: number
  points: number
}

/** The line and band of one group, without columns in which no member has a value. */
export interface GroupBand extends Shown {
  /** Its index in the request. */
  group: number
  x: Float64Array
  line: Float64Array
  bandLow: Float64Array
  bandHigh: Float64Array
  /** Number of members with a value at each x. */
  count: Float64Array
}

/** The number of runs whose lines pass each pixel; rows from the top. */
export interface Density extends Shown {
  bottom: number
  top: number
  width: number
  height: number
  counts: Uint16Array
}

const HEADER = 40
const GROUP = 8
const DENSITY = 9

/** The payloads of all frames of a kind. */
function payloads(message: ArrayBuffer, kind: number): { run: number; at: number; bytes: number }[] {
  const view = new DataView(message)
  const found = []
  for (let at = 0; at < message.byteLength;) {
    if (message.byteLength - at < HEADER) throw new FrameError("A frame's header is cut short", at)
    const bytes = view.getUint32(at + 12, true)
    if (at + HEADER + bytes > message.byteLength)
      throw new FrameError(`A frame announces ${bytes} bytes that are not there`, at)
    if (view.getUint8(at + 1) === kind) found.push({ run: view.getUint32(at + 4, true), at: at + HEADER, bytes })
    at += HEADER + Math.ceil(bytes / 8) * 8
  }
  return found
}

function shown([low, high, members, points]: Float64Array): Shown {
  return { low, high, members, points }
}

/** @throws FrameError if the message violates the contract */
export function decodeGroups(message: ArrayBuffer): GroupBand[] {
  return payloads(message, GROUP).map(({ run, at, bytes }) => {
    const rows = (bytes / 8 - 4) / 5
    if (!Number.isInteger(rows) || rows < 0) throw new FrameError('The columns of a group are of different lengths', at)
    const column = (number: number): Float64Array => new Float64Array(message, at + 32 + number * rows * 8, rows)
    const [x, line, bandLow, bandHigh, count] = [0, 1, 2, 3, 4].map(column)
    return { ...shown(new Float64Array(message, at, 4)), group: run, x, line, bandLow, bandHigh, count }
  })
}

/** @throws FrameError if the message violates the contract */
export function decodeDensity(message: ArrayBuffer): Density {
  const [frame] = payloads(message, DENSITY)
  if (!frame || frame.bytes < 64) throw new FrameError('The answer holds no density', 0)
  const [bottom, top, width, height] = new Float64Array(message, frame.at + 32, 4)
  if (frame.bytes < 64 + 2 * width * height) throw new FrameError('A density is cut short', frame.at)
  const counts = new Uint16Array(message, frame.at + 64, width * height)
  return { ...shown(new Float64Array(message, frame.at, 4)), bottom, top, width, height, counts }
}

function decoded<T>(decode: (message: ArrayBuffer) => T, message: ArrayBuffer): T {
  try {
    return decode(message)
  } catch (problem) {
    if (!(problem instanceof FrameError)) throw problem
    throw new ApiProblem('bad_frame', problem.message, { offset: problem.offset }, 200)
  }
}

/** Maximum number of these heavy requests at once: the first chart is drawn while others wait. */
const AT_ONCE = 2
const waiting: (() => void)[] = []
let busy = 0

/** Does work when there is a free place. Aborted work is not started. */
async function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (busy >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else busy++
  try {
    signal?.throwIfAborted()
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else busy--
  }
}

/**
 * Fetches the lines and bands of groups of runs.
 * @throws ApiProblem
 */
export async function fetchGroups(
  tag: string,
  groups: readonly (readonly number[])[],
  body: GroupsBody,
  signal?: AbortSignal,
): Promise<GroupBand[]> {
  const message = await inTurn(
    () =>
      ask(
        api.POST('/api/scalars/groups', {
          body: { ...body, tag, groups: groups.map((runs) => [...runs]), format: 'binary' },
          parseAs: 'arrayBuffer',
          signal,
        }),
      ),
    signal,
  )
  return decoded(decodeGroups, message as unknown as ArrayBuffer)
}

/**
 * Fetches the number of runs whose lines pass each pixel.
 * @throws ApiProblem
 */
export async function fetchDensity(
  tag: string,
  runs: readonly number[],
  body: DensityBody,
  signal?: AbortSignal,
): Promise<Density> {
  const message = await inTurn(
    () =>
      ask(
        api.POST('/api/scalars/density', {
          body: { ...body, tag, runs: [...runs], format: 'binary' },
          parseAs: 'arrayBuffer',
          signal,
        }),
      ),
    signal,
  )
  return decoded(decodeDensity, message as unknown as ArrayBuffer)
}

/**
 * Fetches the keys by which runs can be grouped, and the groups by some keys.
 * @throws ApiProblem
 */
export function fetchGroupings(runs: readonly number[], by: readonly string[]): Promise<Grouping> {
  return ask(api.POST('/api/scalars/groupings', { body: { runs: [...runs], by: [...by] } }))
}
