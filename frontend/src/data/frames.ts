/**
 * Decodes the binary frames of docs/architecture/wire.md into typed arrays that share the message's memory (steps and
 * int64 values are converted once, because JavaScript has no fast 64-bit integers). Called by the live connection, and
 * by the series store for HTTP answers.
 */

export type FrameKind = 'points' | 'envelope'

export interface Frame {
  kind: FrameKind
  run: number
  series: number
  count: number
  /** Index of the first point covered. */
  first: number
  /** Index after the last point covered: the next one that the reader needs. */
  end: number
  /** Time when the newest point was stored, in seconds of the server's clock. */
  stored: number
  step: Float64Array
  wall: Float64Array
  value: Float32Array | Float64Array
}

/** A message that violates the contract; `offset` is the byte at which it shows. */
export class FrameError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(`${message} (at byte ${offset} of the message)`)
    this.name = 'FrameError'
    this.offset = offset
  }
}

const HEADER = 40
const VERSION = 1
const KINDS: Record<number, FrameKind | undefined> = { 1: 'points', 2: 'envelope' }
const VALUE_BYTES: Record<number, number | undefined> = { 1: 4, 2: 8, 3: 8 }
/** Statistics of pixel columns: eleven float64 columns that no chart requests. */
const BUCKETS = 3
const BUCKET_ROW = 11 * 8

/** int64 columns as float64; exact up to 2^53. Two 32-bit halves are far faster than BigInt. */
function int64Column(buffer: ArrayBuffer, offset: number, count: number): Float64Array {
  const halves = new Int32Array(buffer, offset, count * 2)
  const column = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    column[i] = halves[2 * i + 1] * 4294967296 + (halves[2 * i] >>> 0)
  }
  return column
}

function valueColumn(buffer: ArrayBuffer, offset: number, count: number, dtype: number): Frame['value'] {
  if (dtype === 1) return new Float32Array(buffer, offset, count)
  if (dtype === 2) return new Float64Array(buffer, offset, count)
  return int64Column(buffer, offset, count)
}

function payloadBytes(kind: number, dtype: number, count: number, offset: number): number {
  if (kind === BUCKETS) return count * BUCKET_ROW
  if (!KINDS[kind]) return count
  const size = VALUE_BYTES[dtype]
  if (size === undefined) throw new FrameError(`A frame has the unknown value type ${dtype}`, offset + 2)
  return count * (16 + size)
}

function index(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 4294967296
}

function decodeOne(view: DataView, offset: number): { frame: Frame | null; next: number } {
  const left = view.byteLength - offset
  if (left < HEADER) throw new FrameError(`A frame's header is cut short: ${left} of ${HEADER} bytes`, offset)
  const kind = view.getUint8(offset + 1)
  const dtype = view.getUint8(offset + 2)
  const count = view.getUint32(offset + 12, true)
  const payload = payloadBytes(kind, dtype, count, offset)
  if (payload > left - HEADER) {
    throw new FrameError(`A frame announces ${payload} bytes of columns, ${left - HEADER} are there`, offset)
  }
  const next = Math.min(view.byteLength, offset + HEADER + Math.ceil(payload / 8) * 8)
  const name = KINDS[kind]
  if (view.getUint8(offset) !== VERSION || !name) return { frame: null, next }

  const buffer = view.buffer as ArrayBuffer
  const columns = offset + HEADER
  const frame: Frame = {
    kind: name,
    run: view.getUint32(offset + 4, true),
    series: view.getUint32(offset + 8, true),
    count,
    first: index(view, offset + 16),
    end: index(view, offset + 24),
    stored: view.getFloat64(offset + 32, true),
    step: int64Column(buffer, columns, count),
    wall: new Float64Array(buffer, columns + 8 * count, count),
    value: valueColumn(buffer, columns + 16 * count, count, dtype),
  }
  if (name === 'points' && frame.end - frame.first !== count) {
    throw new FrameError(`A frame of ${count} points covers ${frame.end - frame.first} indices`, offset)
  }
  return { frame, next }
}

/**
 * Decodes all frames of a message. Frames of an unknown kind or version are skipped.
 * @throws FrameError if the message is truncated or inconsistent
 */
export function decodeFrames(message: ArrayBuffer): Frame[] {
  const view = new DataView(message)
  const frames: Frame[] = []
  let offset = 0
  while (offset < message.byteLength) {
    const { frame, next } = decodeOne(view, offset)
    if (frame) frames.push(frame)
    offset = next
  }
  return frames
}
