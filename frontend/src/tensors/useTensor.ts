/**
 * The state of a tensor's view and its data: slice, plane, statistics, comparison, jumps. Made by a page for the tensor
 * that it shows; passed to its parts (toolbar, grid, panel).
 */
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'

import { ApiProblem } from '../data/types'
import type { Clip, MapName } from './palette'
import {
  cellOf,
  parseSlice,
  planeEntries,
  planeOf,
  showing,
  SliceProblem,
  sliceText,
  standardSlice,
  withIndex,
  type Entry,
  type Plane,
} from './slices'
import type { Difference, Found, Target, TensorSource, TensorStatistics, Tolerance } from './source'
import type { Notation } from './tiles'

export const VIEWS = ['grid', 'heat', 'histogram', 'table'] as const
export type ViewName = (typeof VIEWS)[number]

export interface Cell {
  row: number
  column: number
}

/** The user's settings; a page keeps them in the address. */
export interface TensorState {
  view: Ref<ViewName>
  /** Empty for the standard slice. */
  slice: Ref<string>
  /** Indices of axes that are neither in the plane nor fixed by the slice. */
  rest: Ref<ReadonlyMap<number, number>>
  swap: Ref<boolean>
  cell: Ref<Cell>
  /** Pixels of a cell; null if the view decides. */
  zoom: Ref<number | null>
  map: Ref<MapName>
  clip: Ref<Clip>
  notation: Ref<Notation>
  rtol: Ref<number>
  atol: Ref<number>
  /** Whether the grid shows the difference instead of the values. */
  signed: Ref<boolean>
}

/** The tensor that it is compared with. */
export interface Other {
  /** Its key in the source. */
  name: string
  label: string
}

export interface Fetched<T> {
  value: ShallowRef<T | null>
  /** The key that the value belongs to. */
  of: ShallowRef<string | null>
  problem: ShallowRef<ApiProblem | null>
  busy: Ref<boolean>
  again(): void
}

/**
 * Fetches the value of a key; an answer for an older key is cancelled. The previous value stays until the next answer.
 * @param key null for nothing, undefined while it is not known
 */
function useFetched<T>(key: () => string | null | undefined, fetch: (signal: AbortSignal) => Promise<T>): Fetched<T> {
  const value = shallowRef<T | null>(null)
  const of = shallowRef<string | null>(null)
  const problem = shallowRef<ApiProblem | null>(null)
  const busy = ref(false)
  let controller: AbortController | null = null

  async function load(): Promise<void> {
    controller?.abort()
    const wanted = key()
    if (wanted === undefined) return
    if (wanted === null) {
      value.value = of.value = problem.value = controller = null
      busy.value = false
      return
    }
    const mine = (controller = new AbortController())
    busy.value = true
    try {
      const answer = await fetch(mine.signal)
      if (mine.signal.aborted) return
      value.value = answer
      of.value = wanted
      problem.value = null
    } catch (error) {
      if (mine.signal.aborted) return
      value.value = of.value = null
      problem.value =
        error instanceof ApiProblem ? error : new ApiProblem('unexpected_answer', String(error), { status: 200 }, 200)
    }
    busy.value = false
  }
  watch(key, () => void load(), { immediate: true })
  onScopeDispose(() => controller?.abort())
  return { value, of, problem, busy, again: () => void load() }
}

export interface TensorModel {
  state: TensorState
  source: ComputedRef<TensorSource | null>
  /** Statistics of the whole tensor, with its dtype and shape. */
  whole: Fetched<TensorStatistics>
  /** Statistics of the slice. */
  part: Fetched<TensorStatistics>
  shape: ComputedRef<readonly number[]>
  entries: ComputedRef<readonly Entry[]>
  /** The applied slice. */
  text: ComputedRef<string>
  /** Why the requested slice is not applied. */
  wrong: ComputedRef<SliceProblem | null>
  plane: ComputedRef<Plane>
  /** Whether shape and slice belong to the requested tensor, and not to the previous one. */
  known: ComputedRef<boolean>
  /** The slice of the plane, with at most two axes. */
  planeText: ComputedRef<string>
  other: ComputedRef<Other | null>
  difference: Fetched<Difference>
  tolerance: ComputedRef<Tolerance>
  /** The result of the last jump, as a message. */
  jumped: ShallowRef<Jump | null>
  setIndex(axis: number, index: number | null): void
  setRest(axis: number, at: number): void
  jump(target: Target, backwards?: boolean): Promise<void>
  /** Shows an element of the whole tensor. */
  goTo(index: readonly number[]): void
}

export type Jump =
  | { target: Target; kind: 'none' | 'plane' | 'whole'; index: readonly number[] }
  | { target: Target; kind: 'failed'; problem: ApiProblem }

function parsed(text: string, shape: readonly number[]): { entries: Entry[]; wrong: SliceProblem | null } {
  if (!text) return { entries: standardSlice(shape), wrong: null }
  try {
    return { entries: parseSlice(text, shape), wrong: null }
  } catch (error) {
    if (error instanceof SliceProblem) return { entries: standardSlice(shape), wrong: error }
    throw error
  }
}

type Jumping = Pick<
  TensorModel,
  'state' | 'known' | 'shape' | 'plane' | 'planeText' | 'other' | 'tolerance' | 'goTo'
> & {
  /** The tensor; throws where there is none. */
  must: () => TensorSource
}

/** The next element of a kind: first in the plane after the cell, then in the whole tensor. */
function useJump({
  state,
  known,
  shape,
  plane,
  planeText,
  other,
  tolerance,
  goTo,
  must,
}: Jumping): Pick<TensorModel, 'jump' | 'jumped'> {
  const jumped = shallowRef<Jump | null>(null)
  let searching: AbortController | null = null

  type Question = Omit<Parameters<TensorSource['find']>[0], 'slice' | 'start'>
  function findInPlane(asked: Question, signal: AbortSignal): Promise<Found> | null {
    const { rows, columns } = plane.value
    if (!rows || !columns) return null
    const { row, column } = state.cell.value
    const start = state.swap.value ? column * rows + row : row * columns + column
    return must().find({ ...asked, slice: planeText.value, start }, signal)
  }
  function findInWhole(asked: Question, signal: AbortSignal): Promise<Found> {
    const { row, column } = state.cell.value
    const here = plane.value.indexOf(row, column)
    const start = here.reduce((sum, at, axis) => sum * shape.value[axis] + at, 0)
    return must().find({ ...asked, slice: '', start }, signal)
  }

  function show(found: Found, kind: 'plane' | 'whole', target: Target, signal: AbortSignal): void {
    if (signal.aborted) return
    jumped.value = { target, kind: found.found ? kind : 'none', index: found.whole_index }
    if (found.found) goTo(found.whole_index)
  }

  async function jump(target: Target, backwards = false): Promise<void> {
    searching?.abort()
    if (!known.value) return
    const { signal } = (searching = new AbortController())
    const compared = target === 'difference' ? (other.value?.name ?? null) : null
    const asked = { target, backwards, other: compared, tolerance: tolerance.value }
    try {
      const near = await findInPlane(asked, signal)
      const isNear = near?.found === true
      show(isNear ? near : await findInWhole(asked, signal), isNear ? 'plane' : 'whole', target, signal)
    } catch (error) {
      if (!signal.aborted && error instanceof ApiProblem) jumped.value = { target, kind: 'failed', problem: error }
    }
  }
  onScopeDispose(() => searching?.abort())
  return { jump, jumped }
}

export function useTensor(of: () => TensorSource | null, against: () => Other | null, state: TensorState): TensorModel {
  const source = computed(of)
  const other = computed(against)
  const keyed = (...parts: unknown[]): string | null => (source.value ? [source.value.key, ...parts].join('\n') : null)
  const must = (): TensorSource => {
    if (!source.value) throw new Error('There is no tensor.')
    return source.value
  }
  const whole = useFetched(
    () => keyed(),
    (signal) => must().statistics('', signal),
  )
  /** Slices belong to the last shape until the new tensor's shape is known. */
  const known = computed(() => whole.of.value !== null && whole.of.value === keyed())
  const once = (made: () => string | null): string | null | undefined =>
    known.value ? made() : source.value && !whole.problem.value ? undefined : null
  const shape = computed(() => whole.value.value?.shape ?? [])
  const read = computed(() => parsed(state.slice.value, shape.value))
  const entries = computed<readonly Entry[]>(() => read.value.entries)
  const text = computed(() => sliceText(entries.value))
  const plane = computed(() => planeOf(entries.value, shape.value, state.rest.value, state.swap.value))
  const planeText = computed(() => sliceText(planeEntries(plane.value)))
  const part = useFetched(
    () => once(() => keyed(text.value)),
    (signal) => {
      const all = whole.value.value
      return all?.slice === text.value ? Promise.resolve(all) : must().statistics(text.value, signal)
    },
  )
  const tolerance = computed(() => ({ rtol: state.rtol.value, atol: state.atol.value }))
  const difference = useFetched(
    () =>
      once(() =>
        other.value ? keyed(text.value, other.value.name, tolerance.value.rtol, tolerance.value.atol) : null,
      ),
    (signal) => must().difference(text.value, other.value?.name ?? '', tolerance.value, signal),
  )
  function goTo(index: readonly number[]): void {
    const here = cellOf(plane.value, index)
    if (here) {
      state.cell.value = here
      return
    }
    const next = showing(entries.value, shape.value, index)
    const moved = planeOf(next.entries, shape.value, next.rest, state.swap.value)
    state.slice.value = sliceText(next.entries)
    state.rest.value = next.rest
    state.cell.value = cellOf(moved, index) ?? { row: 0, column: 0 }
  }

  const { jump, jumped } = useJump({ state, known, shape, plane, planeText, other, tolerance, goTo, must })
  watch([() => source.value?.key, text], () => (jumped.value = jumped.value?.kind === 'whole' ? jumped.value : null))

  return {
    state,
    source,
    whole,
    part,
    known,
    shape,
    entries,
    text,
    wrong: computed(() => read.value.wrong),
    plane,
    planeText,
    other,
    difference,
    tolerance,
    jumped,
    jump,
    goTo,
    setIndex(axis, index) {
      state.slice.value = sliceText(withIndex(entries.value, axis, index))
    },
    setRest(axis, at) {
      state.rest.value = new Map([...state.rest.value, [axis, at]])
    },
  }
}
