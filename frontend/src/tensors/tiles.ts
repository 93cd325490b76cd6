/** Decodes the tiles described in `mindinsight/tensors/api.md`, and formats their cells. Called by the tile store. */

export const TILE = 128

const DTYPES = [
  'bool',
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float16',
  'float32',
  'float64',
  'complex64',
  'complex128',
] as const
export type Dtype = (typeof DTYPES)[number]

type Numbers = ArrayLike<number>

interface Sized {
  level: number
  rows: number
  columns: number
}

/** The elements themselves. */
export interface ValueTile extends Sized {
  kind: 'values'
  dtype: Dtype
  /** The values for colouring; the magnitude of complex numbers. */
  value: Numbers
  /** The bits of an element, row by row. */
  bits: DataView
}

/** Blocks of 2^level x 2^level elements. */
export interface BlockTile extends Sized {
  kind: 'blocks'
  low: Numbers
  high: Numbers
  mean: Numbers
  nan: Uint32Array
  posInf: Uint32Array
  negInf: Uint32Array
}

export type Tile = ValueTile | BlockTile

export class TileError extends Error {}

const HEADER = 32

const BYTES: Record<Dtype, number> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  float32: 4,
  float64: 8,
  complex64: 8,
  complex128: 16,
}

/** Bytes of an element by dtype name; 4 for unknown dtypes. */
export const elementBytes = (dtype: string): number => (dtype in BYTES ? BYTES[dtype as Dtype] : 4)

/** The value of a 16-bit number. */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024)
}

function magnitudes(parts: Numbers): Float64Array {
  return Float64Array.from({ length: parts.length / 2 }, (_, at) => Math.hypot(parts[2 * at], parts[2 * at + 1]))
}

function numbersOf(buffer: ArrayBuffer, offset: number, count: number, dtype: Dtype): Numbers {
  switch (dtype) {
    case 'bool':
    case 'uint8':
      return new Uint8Array(buffer, offset, count)
    case 'int8':
      return new Int8Array(buffer, offset, count)
    case 'int16':
      return new Int16Array(buffer, offset, count)
    case 'uint16':
      return new Uint16Array(buffer, offset, count)
    case 'int32':
      return new Int32Array(buffer, offset, count)
    case 'uint32':
      return new Uint32Array(buffer, offset, count)
    case 'int64':
      return Float64Array.from(new BigInt64Array(buffer, offset, count), Number)
    case 'uint64':
      return Float64Array.from(new BigUint64Array(buffer, offset, count), Number)
    case 'float16':
      return Float32Array.from(new Uint16Array(buffer, offset, count), halfFloat)
    case 'float32':
      return new Float32Array(buffer, offset, count)
    case 'float64':
      return new Float64Array(buffer, offset, count)
    case 'complex64':
      return magnitudes(new Float32Array(buffer, offset, 2 * count))
    case 'complex128':
      return magnitudes(new Float64Array(buffer, offset, 2 * count))
  }
}

/** @throws TileError if the bytes are not a tile */
export function decodeTile(buffer: ArrayBuffer): Tile {
  if (buffer.byteLength < HEADER) throw new TileError('The tile is cut off.')
  const [version, level, rows, columns, number] = new Uint32Array(buffer, 0, 8)
  const dtype = DTYPES[number] as Dtype | undefined
  if (version !== 1 || dtype === undefined || rows > TILE || columns > TILE)
    throw new TileError('The tile is of another version.')
  const count = rows * columns
  const size = BYTES[dtype]
  if (buffer.byteLength !== HEADER + count * (level ? 3 * size + 12 : size)) throw new TileError('The tile is cut off.')
  if (level === 0) {
    return {
      kind: 'values',
      level,
      rows,
      columns,
      dtype,
      value: numbersOf(buffer, HEADER, count, dtype),
      bits: new DataView(buffer, HEADER),
    }
  }
  const column = (at: number): Numbers => numbersOf(buffer, HEADER + at * count * size, count, dtype)
  const counts = (at: number): Uint32Array => new Uint32Array(buffer, HEADER + 3 * count * size + 4 * at * count, count)
  return {
    kind: 'blocks',
    level,
    rows,
    columns,
    low: column(0),
    high: column(1),
    mean: column(2),
    nan: counts(0),
    posInf: counts(1),
    negInf: counts(2),
  }
}

/** Format of an element: four digits, full precision, its bits, or a multiple of the plane's power of ten. */
export const NOTATIONS = ['four', 'full', 'hex', 'scaled'] as const
export type Notation = (typeof NOTATIONS)[number]

const MINUS = '−'
const signed = (text: string): string => text.replace('-', MINUS).replace('e-', `e${MINUS}`).replace('e+', 'e')

/** A number with four digits. */
export function fourDigits(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : `${MINUS}Inf`
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (Number.isInteger(value) && size < 1e6) return signed(String(value))
  return signed(size < 1e-4 || size >= 1e6 ? value.toExponential(3) : value.toPrecision(4))
}

/** The shortest decimal text of a float32. */
function shortest32(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return String(Number(text))
  }
  return String(Number(value.toPrecision(9)))
}

function fullNumber(value: number, dtype: Dtype): string {
  if (!Number.isFinite(value)) return fourDigits(value)
  if (Object.is(value, -0)) return `${MINUS}0`
  return signed(
    dtype === 'float32' || dtype === 'complex64'
      ? shortest32(value)
      : dtype === 'float16'
        ? String(Number(value.toPrecision(5)))
        : String(value),
  )
}

function part(bits: DataView, at: number, dtype: 'complex64' | 'complex128'): [number, number] {
  return dtype === 'complex64'
    ? [bits.getFloat32(8 * at, true), bits.getFloat32(8 * at + 4, true)]
    : [bits.getFloat64(16 * at, true), bits.getFloat64(16 * at + 8, true)]
}

function hexOf(bits: DataView, at: number, size: number): string {
  let text = ''
  for (let byte = size - 1; byte >= 0; byte--)
    text += bits
      .getUint8(at * size + byte)
      .toString(16)
      .padStart(2, '0')
  return `0x${text}`
}

/**
 * The text of a cell.
 * @param power the plane's power of ten, for `scaled`
 */
export function cellText(tile: ValueTile, at: number, notation: Notation, power = 0): string {
  const { dtype, bits } = tile
  if (notation === 'hex') return hexOf(bits, at, BYTES[dtype])
  if (dtype === 'bool') return tile.value[at] ? 'True' : 'False'
  if (dtype === 'int64') return signed(String(bits.getBigInt64(8 * at, true)))
  if (dtype === 'uint64') return String(bits.getBigUint64(8 * at, true))
  if (dtype === 'complex64' || dtype === 'complex128') {
    const [real, imaginary] = part(bits, at, dtype)
    const write = (value: number): string => (notation === 'full' ? fullNumber(value, dtype) : fourDigits(value))
    return `${write(real)}${imaginary < 0 ? '' : '+'}${write(imaginary)}j`
  }
  const value = tile.value[at]
  if (notation === 'full') return fullNumber(value, dtype)
  if (notation === 'scaled' && Number.isFinite(value)) return signed((value / 10 ** power).toFixed(2))
  return fourDigits(value)
}

/** Length of the longest text that a cell may have. */
export function cellCharacters(dtype: string, notation: Notation, widest: number): number {
  const bytes = BYTES[dtype as Dtype] ?? 4
  const complex = dtype.startsWith('complex')
  if (notation === 'hex') return 2 + 2 * bytes
  if (dtype === 'bool') return 5
  if (/int/.test(dtype)) return Math.max(4, String(Math.round(widest)).length + 1)
  const one = notation === 'four' ? 9 : notation === 'scaled' ? 6 : bytes > 4 && dtype !== 'complex64' ? 23 : 14
  return complex ? 2 * one + 1 : one
}

/** The power of ten, a multiple of three, that leaves few digits before the point. */
export function powerOf(largest: number): number {
  if (!(largest > 0) || !Number.isFinite(largest)) return 0
  const power = Math.floor(Math.log10(largest))
  return power >= 0 && power < 3 ? 0 : 3 * Math.floor(power / 3)
}
