/** Builds binary frames as the server sends them. For tests only. */

export interface FrameInput {
  series?: number
  run?: number
  kind?: number
  version?: number
  dtype?: 1 | 2 | 3
  first?: number
  end?: number
  step?: number[]
  wall?: number[]
  value?: number[]
}

const SIZES = { 1: 4, 2: 8, 3: 8 }

export function encodeFrame(input: FrameInput): ArrayBuffer {
  const { dtype = 1, first = 0, value = [] } = input
  const step = input.step ?? value.map((_, row) => first + row)
  const wall = input.wall ?? step.map((one) => 1000 + one)
  const count = step.length
  const payload = count * (16 + SIZES[dtype])
  const buffer = new ArrayBuffer(40 + Math.ceil(payload / 8) * 8)
  const view = new DataView(buffer)
  view.setUint8(0, input.version ?? 1)
  view.setUint8(1, input.kind ?? 1)
  view.setUint8(2, dtype)
  view.setUint32(4, input.run ?? 1, true)
  view.setUint32(8, input.series ?? 17, true)
  view.setUint32(12, count, true)
  view.setBigUint64(16, BigInt(first), true)
  view.setBigUint64(24, BigInt(input.end ?? first + count), true)
  view.setFloat64(32, 1795227714.25, true)
  for (let row = 0; row < count; row++) {
    view.setBigInt64(40 + 8 * row, BigInt(step[row]), true)
    view.setFloat64(40 + 8 * count + 8 * row, wall[row], true)
    const place = 40 + 16 * count + SIZES[dtype] * row
    if (dtype === 1) view.setFloat32(place, value[row], true)
    else if (dtype === 2) view.setFloat64(place, value[row], true)
    else view.setBigInt64(place, BigInt(value[row]), true)
  }
  return buffer
}

/** Concatenates several buffers to one message. */
export function joined(...parts: ArrayBuffer[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(new Uint8Array(part), at)
    at += part.byteLength
  }
  return whole.buffer
}
