/**
 * Slices in Python's syntax, as the server reads them: the part of each axis, and the position of an error. Called by
 * the slice field and the view. The server has the final say. Pure.
 */

/** One entry between commas: an index, or a range of an axis. */
export type Entry =
  { kind: 'index'; index: number } | { kind: 'range'; start: number | null; stop: number | null; step: number | null }

export type SliceReason =
  'character' | 'empty' | 'bracket' | 'newaxis' | 'list' | 'zero_step' | 'ellipsis_twice' | 'too_many' | 'out_of_range'

/** Why a text is not a slice of a shape, and the position (from 0) of the error. */
export class SliceProblem extends Error {
  readonly reason: SliceReason
  readonly position: number
  readonly named: Readonly<Record<string, number | string>>

  constructor(reason: SliceReason, position: number, named: Readonly<Record<string, number | string>> = {}) {
    super(reason)
    this.name = 'SliceProblem'
    this.reason = reason
    this.position = position
    this.named = named
  }
}

interface Piece {
  text: string
  position: number
}

const WHOLE: Entry = { kind: 'range', start: null, stop: null, step: null }

function pieces(text: string): Piece[] {
  const lead = text.length - text.trimStart().length
  let [first, end] = [lead, text.trimEnd().length]
  if (text[first] === '[') {
    if (text[end - 1] !== ']' || end - 1 === first) throw new SliceProblem('bracket', end)
    first++
    end--
  }
  const inner = text.slice(first, end)
  if (!inner.trim()) return [{ text: '...', position: first }]
  const found: Piece[] = []
  let at = first
  for (const part of inner.split(',')) {
    found.push({ text: part, position: at + (part.length - part.trimStart().length) })
    at += part.length + 1
  }
  if (found.length > 1 && !found[found.length - 1].text.trim()) found.pop()
  const empty = found.find((piece) => !piece.text.trim())
  if (empty) throw new SliceProblem('empty', Math.min(text.length, empty.position))
  return found
}

const NUMBER = /^[+-]?\s*\d{1,15}$/

function bound(text: string, position: number): number | null {
  const plain = text.trim()
  if (!plain) return null
  if (!NUMBER.test(plain)) throw wrongAt(text, position)
  return Number(plain.replace(/\s/g, ''))
}

function wrongAt(text: string, position: number): SliceProblem {
  const start = position + (text.length - text.trimStart().length)
  const plain = text.trim()
  if (/^(None|newaxis|np\.newaxis|numpy\.newaxis)\b/.test(plain)) return new SliceProblem('newaxis', start)
  if (/^[[(]/.test(plain)) return new SliceProblem('list', start)
  const legal = /^[+-]?\s*\d*/.exec(plain)?.[0].length ?? 0
  const at = plain[legal] === '.' || /[eE_]/.test(plain[legal] ?? '') ? 0 : legal
  return new SliceProblem('character', start + at, { character: plain[at] ?? '' })
}

function entryOf({ text, position }: Piece): Entry | '...' {
  const plain = text.trim()
  if (plain === '...' || plain === '…') return '...'
  if (!plain.includes(':')) return { kind: 'index', index: bound(text.trim(), position) ?? 0 }
  const parts = plain.split(':')
  if (parts.length > 3)
    throw new SliceProblem('character', position + parts.slice(0, 3).join(':').length, { character: ':' })
  let at = position
  const bounds = parts.map((part) => {
    const value = bound(part, at)
    at += part.length + 1
    return value
  })
  const [start, stop, step] = [bounds[0] ?? null, bounds[1] ?? null, bounds[2] ?? null]
  if (step === 0) throw new SliceProblem('zero_step', position + parts[0].length + parts[1].length + 2)
  return { kind: 'range', start, stop, step }
}

/**
 * One entry for each axis of a shape; negative indices are resolved.
 * @throws SliceProblem if the text is not a slice or does not fit
 */
export function parseSlice(text: string, shape: readonly number[]): Entry[] {
  const read = pieces(text).map((piece) => ({ entry: entryOf(piece), position: piece.position }))
  const gaps = read.filter(({ entry }) => entry === '...')
  if (gaps.length > 1) throw new SliceProblem('ellipsis_twice', gaps[1].position)
  const named = read.length - gaps.length
  if (named > shape.length) {
    throw new SliceProblem('too_many', read.filter(({ entry }) => entry !== '...')[shape.length].position, {
      rank: shape.length,
    })
  }
  const entries: Entry[] = []
  for (const { entry, position } of read) {
    if (entry === '...') entries.push(...Array.from({ length: shape.length - named }, () => WHOLE))
    else entries.push(fromFront(entry, shape, entries.length, position))
  }
  while (entries.length < shape.length) entries.push(WHOLE)
  return entries
}

function fromFront(entry: Entry, shape: readonly number[], axis: number, position: number): Entry {
  if (entry.kind === 'range') return entry
  const size = shape[axis]
  if (entry.index < -size || entry.index >= size)
    throw new SliceProblem('out_of_range', position, { index: entry.index, axis, size })
  return { kind: 'index', index: (entry.index + size) % size }
}

/** The indices in a range of an axis, as Python counts them. */
export function taken(
  entry: Extract<Entry, { kind: 'range' }>,
  size: number,
): { first: number; step: number; count: number } {
  const step = entry.step ?? 1
  const clip = (value: number | null, standard: number): number => {
    if (value === null) return standard
    const from = value < 0 ? value + size : value
    return step > 0 ? Math.max(0, Math.min(size, from)) : Math.max(-1, Math.min(size - 1, from))
  }
  const first = clip(entry.start, step > 0 ? 0 : size - 1)
  const stop = clip(entry.stop, step > 0 ? size : -1)
  return { first, step, count: Math.max(0, Math.ceil((stop - first) / step)) }
}

/** The slice in Python's syntax. */
export function sliceText(entries: readonly Entry[]): string {
  return entries.length ? `[${entries.map(entryText).join(', ')}]` : '[()]'
}

export function entryText(entry: Entry): string {
  if (entry.kind === 'index') return String(entry.index)
  const ends = `${entry.start ?? ''}:${entry.stop ?? ''}`
  return entry.step === null ? ends : `${ends}:${entry.step}`
}

/** The first slice of a tensor: the two neighbouring axes with most elements, and index 0 of the others. */
export function standardSlice(shape: readonly number[]): Entry[] {
  if (shape.length <= 2) return shape.map(() => WHOLE)
  let best = 0
  for (let axis = 1; axis < shape.length - 1; axis++) {
    if (shape[axis] * shape[axis + 1] > shape[best] * shape[best + 1]) best = axis
  }
  return shape.map((size, axis) =>
    axis === best || axis === best + 1 || size === 0 ? WHOLE : { kind: 'index', index: 0 },
  )
}

export type Role = 'rows' | 'columns' | 'index' | 'rest'

export interface Axis {
  axis: number
  size: number
  role: Role
  entry: Entry
  /** Number of entries of the axis in the slice. */
  count: number
  /** For an index or an axis outside the plane: the shown index, counted within the slice. */
  at: number
}

/** The visible part of a slice: a plane of two axes, with one index for each other axis. */
export interface Plane {
  axes: Axis[]
  rows: number
  columns: number
  /** The index of a cell in the whole tensor. */
  indexOf(row: number, column: number): number[]
}

/** @param rest the shown index of each axis that is not in the plane and not an index of the slice, by axis */
export function planeOf(
  entries: readonly Entry[],
  shape: readonly number[],
  rest: ReadonlyMap<number, number>,
  swap: boolean,
): Plane {
  const free = entries.flatMap((entry, axis) => (entry.kind === 'range' ? [axis] : []))
  const [one, other] = free.length === 1 ? [-1, free[0]] : [free[0] ?? -1, free[1] ?? -1]
  const [rowAxis, columnAxis] = swap ? [other, one] : [one, other]
  const axes = entries.map((entry, axis): Axis => {
    const size = shape[axis]
    if (entry.kind === 'index') return { axis, size, role: 'index', entry, count: 1, at: entry.index }
    const { count } = taken(entry, size)
    const role = axis === rowAxis ? 'rows' : axis === columnAxis ? 'columns' : 'rest'
    return { axis, size, role, entry, count, at: Math.max(0, Math.min(count - 1, rest.get(axis) ?? 0)) }
  })
  const counted = (role: Role): number => axes.find((axis) => axis.role === role)?.count ?? 1
  const empty = axes.some(({ role, count }) => role === 'rest' && count === 0)
  return {
    axes,
    rows: empty ? 0 : counted('rows'),
    columns: empty ? 0 : counted('columns'),
    indexOf(row, column) {
      return axes.map(({ role, entry, size, at }) => {
        if (entry.kind === 'index') return entry.index
        const { first, step } = taken(entry, size)
        return first + step * (role === 'rows' ? row : role === 'columns' ? column : at)
      })
    },
  }
}

/** The slice of a plane: axes outside the plane become indices. */
export function planeEntries(plane: Plane): Entry[] {
  return plane.axes.map(({ role, entry, size, at }): Entry => {
    if (role !== 'rest' || entry.kind === 'index') return entry
    const { first, step, count } = taken(entry, size)
    return count ? { kind: 'index', index: first + step * at } : entry
  })
}

/** The cell of an element of the whole tensor, null if the plane does not show it. */
export function cellOf(plane: Plane, index: readonly number[]): { row: number; column: number } | null {
  const found = { row: 0, column: 0 }
  for (const { axis, entry, size, role, at } of plane.axes) {
    if (entry.kind === 'index') {
      if (entry.index !== index[axis]) return null
      continue
    }
    const { first, step, count } = taken(entry, size)
    const place = (index[axis] - first) / step
    if (!Number.isInteger(place) || place < 0 || place >= count) return null
    if (role === 'rows') found.row = place
    else if (role === 'columns') found.column = place
    else if (place !== at) return null
  }
  return found
}

/** The slice with one axis set to an index, or free again. */
export function withIndex(entries: readonly Entry[], axis: number, index: number | null): Entry[] {
  return entries.map((entry, at) => (at !== axis ? entry : index === null ? WHOLE : { kind: 'index', index }))
}

/** A slice that shows an element: axes that hide it are moved to its index. */
export function showing(
  entries: readonly Entry[],
  shape: readonly number[],
  index: readonly number[],
): { entries: Entry[]; rest: Map<number, number> } {
  const rest = new Map<number, number>()
  const next = entries.map((entry, axis): Entry => {
    if (entry.kind === 'index') return { kind: 'index', index: index[axis] }
    const { first, step, count } = taken(entry, shape[axis])
    const place = (index[axis] - first) / step
    if (!Number.isInteger(place) || place < 0 || place >= count) {
      rest.set(axis, index[axis])
      return WHOLE
    }
    rest.set(axis, place)
    return entry
  })
  return { entries: next, rest }
}

/** Completions of a text, for the list below the field. */
export function completions(shape: readonly number[], text: string): string[] {
  const all = shape.map(() => ':')
  const fixed = (axes: readonly number[]): string =>
    `[${all.map((one, axis) => (axes.includes(axis) ? one : '0')).join(', ')}]`
  const pairs = shape.length <= 2 ? [] : shape.slice(1).map((_, axis) => fixed([axis, axis + 1]))
  const ends = shape.length > 2 ? [fixed([0, shape.length - 1])] : []
  const halves = shape.length ? [`[::2${shape.length > 1 ? ', ...' : ''}]`, `[..., ::-1]`] : []
  const wanted = text.replace(/\s/g, '').replace(/\]$/, '')
  const found = [...new Set([sliceText(standardSlice(shape)), `[${all.join(', ')}]`, ...pairs, ...ends, ...halves])]
  const begun = found.filter((one) => one.replace(/\s/g, '').startsWith(wanted) && one !== text)
  return (begun.length ? begun : found).slice(0, 8)
}
