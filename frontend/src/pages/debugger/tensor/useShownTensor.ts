/**
 * The chosen tensor as it is in the paused step: its statistics at once, its values when they are wanted, and the same
 * from the step before to compare with. Made by the right pane.
 */
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { useI18n } from 'vue-i18n'

import { ApiProblem } from '../../../data/types'
import { recordedName, recordedTensor } from '../../../tensors/recorded'
import { elementBytes } from '../../../tensors/tiles'
import { useTensor, type TensorModel, type TensorState } from '../../../tensors/useTensor'
import type { Debugging } from '../context'
import { CommandProblem } from '../data/commands'
import { nameOf, sameTensor, type Cause, type Statistics, type TensorName } from '../data/messages'
import { wantTensor } from '../data/requests'
import type { TensorRow } from '../data/rows'
import { useDebugger } from '../data/store'

export const SHOWINGS = ['current', 'previous', 'difference'] as const
export type Showing = (typeof SHOWINGS)[number]
/** Values of more bytes are only loaded on request. */
const AT_ONCE = 64e6
const BELOW = '/api/debugger/tensors'

/** The state of the tensor's view; not in the address, which has the tensor's name. */
const standardState = (): TensorState => ({
  view: ref('grid'),
  slice: ref(''),
  rest: ref(new Map()),
  swap: ref(false),
  cell: ref({ row: 0, column: 0 }),
  zoom: ref(null),
  map: ref('sequential'),
  clip: ref('full'),
  notation: ref('four'),
  rtol: ref(1e-3),
  atol: ref(1e-6),
  signed: ref(false),
})

interface SideRows {
  current: TensorRow | null
  previous: TensorRow | null
}

/** The model of the recorded values of one side, or of both. */
function useRecordedModel(
  session: Debugging['session'],
  rows: ShallowRef<SideRows>,
  showing: Ref<Showing>,
  kept: ComputedRef<TensorRow | null>,
  state: TensorState,
) {
  const { t } = useI18n()
  /** News of the dashboard about a row replaces its first answer. */
  const fresh = (row: TensorRow | null): TensorRow | null => (row ? (session.tensors.get(row.number) ?? row) : null)
  const first = computed(() => fresh(rows.value[showing.value === 'previous' ? 'previous' : 'current']) ?? kept.value)
  const second = computed(() => (showing.value === 'difference' ? fresh(rows.value.previous) : null))
  const number = computed(() => session.row?.number ?? 0)
  const source = computed(() =>
    first.value?.state === 'ready' ? recordedTensor(session.id, number.value, first.value.number, BELOW) : null,
  )
  const other = computed(() =>
    second.value?.state === 'ready'
      ? { name: recordedName(number.value, second.value.number), label: t('debugger.tensor.previous') }
      : null,
  )
  const model = useTensor(
    () => source.value,
    () => other.value,
    state,
  )
  return { first, model }
}

/** The place of an element that is worth a look: the first that is not finite, else the largest. */
export const worstAt = ({ bad_at, min, max, min_at, max_at }: Statistics): number =>
  bad_at >= 0 ? bad_at : Math.abs(min) > Math.abs(max) ? min_at : max_at

/** Shows the worst place of a tensor when it is opened or ceases to be finite; not once the view was moved. */
function useWorstPlace(
  model: TensorModel,
  state: TensorState,
  of: () => { name: string; statistics: Statistics } | null,
): void {
  let shown = ''
  watch(
    () => model.known.value && of(),
    (now) => {
      if (!now) return
      const { name, statistics } = now
      const at = worstAt(statistics)
      const key = `${name} ${statistics.bad_at >= 0}`
      if (key === shown || at < 0) return
      shown = key
      const { row, column } = state.cell.value
      const isMoved = state.slice.value !== '' || state.rest.value.size > 0 || row > 0 || column > 0
      if (!isMoved) model.goTo(indexOf(at, statistics.shape))
    },
    // The view must not be drawn at another place first.
    { flush: 'sync' },
  )
}

/** What a cause says about one of its tensors. */
function statisticsIn({ chain, producer }: Cause, name: TensorName): Statistics | null {
  const all = [...chain.map(({ output }) => output), ...(producer?.inputs ?? []), producer?.output ?? null]
  return all.find((one) => one && sameTensor(one.tensor, name)) ?? null
}

/** Without a paused training: what the cause and the dashboard have of a tensor. */
function useKept({ session, tensor, paused, cause }: Debugging) {
  const step = computed(() => cause.value?.step ?? session.state?.step ?? -1)
  const statistics = computed(() =>
    tensor.value && !paused.value && cause.value ? statisticsIn(cause.value, tensor.value) : null,
  )
  const row = computed(() => {
    const name = tensor.value
    if (!name || paused.value) return null
    return (
      [...session.tensors.values()].find(
        (one) => sameTensor(one.tensor, name) && one.step === step.value && !one.previous && one.state === 'ready',
      ) ?? null
    )
  })
  return { statistics, row, step }
}

export function useShownTensor(debugging: Debugging) {
  const { session, tensor, nodes, paused, health } = debugging
  const store = useDebugger()
  const showing = ref<Showing>('current')
  const state = standardState()
  watch(showing, (now) => (state.signed.value = now === 'difference'))
  /** The tensor and the position of the training; null if there is no tensor to show. */
  const key = computed(() => {
    const { state: now } = session
    if (!tensor.value || !paused.value || !now) return null
    return `${nameOf(tensor.value)} ${now.step} ${now.within_step} ${now.node_number} ${now.mode} ${now.reason}`
  })

  const statistics = shallowRef<{ current: Statistics | null; previous: Statistics | null }>({
    current: null,
    previous: null,
  })
  const problem = shallowRef<CommandProblem | ApiProblem | null>(null)
  const rows = shallowRef<SideRows>({ current: null, previous: null })
  const looking = ref(false)
  let turn = 0

  const sides = computed<('current' | 'previous')[]>(() =>
    showing.value === 'difference' ? ['current', 'previous'] : [showing.value],
  )
  async function look(side: 'current' | 'previous', mine: number): Promise<void> {
    const wanted = tensor.value
    if (!wanted) return
    const known = side === 'current' ? health.of.value.get(nameOf(wanted)) : undefined
    // One question for both where the program says that the values are few: a pause is to show them at once.
    const values = known === undefined && expectedBytes(wanted) <= AT_ONCE
    const reply = known
      ? null
      : await store.ask({ view: { tensor: wanted, previous: side === 'previous', values } }, false)
    const found = known ?? reply?.statistics[0] ?? null
    if (mine !== turn) return
    statistics.value = { ...statistics.value, [side]: found }
    const row = reply?.tensor ?? null
    if (row) rows.value = { ...rows.value, [side]: row }
    else if (found && bytesOf(found) <= AT_ONCE) await fetchValues(side, mine)
  }
  /** The size by the program; infinite if unknown. */
  function expectedBytes({ full_name, slot }: TensorName): number {
    const output = nodes.value.get(full_name)?.node.outputs[slot]
    if (!output || output.shape.some((size) => size < 0)) return Infinity
    return output.shape.reduce((all, size) => all * size, 1) * elementBytes(output.dtype)
  }
  async function fetchValues(side: 'current' | 'previous', mine = turn): Promise<void> {
    if (!tensor.value) return
    const row = await wantTensor(session.id, tensor.value, side === 'previous')
    if (mine === turn) rows.value = { ...rows.value, [side]: row }
  }
  async function guarded(work: Promise<unknown>, mine: number): Promise<void> {
    looking.value = true
    try {
      await work
    } catch (cause) {
      if (!(cause instanceof CommandProblem || cause instanceof ApiProblem)) throw cause
      if (mine === turn) problem.value = cause
    }
    if (mine === turn) looking.value = false
  }
  function begin(): void {
    const mine = ++turn
    problem.value = null
    const wanted = sides.value.filter((side) => statistics.value[side] === null)
    void guarded(Promise.all(wanted.map((side) => look(side, mine))), mine)
  }
  watch(
    key,
    () => {
      turn++
      statistics.value = rows.value = { current: null, previous: null }
      problem.value = null
      if (key.value !== null) begin()
    },
    { immediate: true },
  )
  watch(sides, () => key.value !== null && begin())
  watch(
    () => tensor.value && nameOf(tensor.value),
    () => {
      state.slice.value = ''
      state.rest.value = new Map()
      state.cell.value = { row: 0, column: 0 }
    },
  )
  onScopeDispose(() => turn++)

  const kept = useKept(debugging)
  const { first, model } = useRecordedModel(session, rows, showing, kept.row, state)
  useWorstPlace(model, state, () => {
    const known = statistics.value.current ?? kept.statistics.value
    return known && tensor.value ? { name: nameOf(tensor.value), statistics: known } : null
  })
  return {
    showing,
    statistics: computed(
      () => statistics.value[showing.value === 'previous' ? 'previous' : 'current'] ?? kept.statistics.value,
    ),
    /** The step of the values that are not those of a paused training; null if there are none. */
    keptStep: computed(() => (kept.statistics.value || kept.row.value ? kept.step.value : null)),
    problem,
    looking,
    row: first,
    key,
    model,
    again: begin,
    fetch: () => void guarded(Promise.all(sides.value.map((side) => fetchValues(side))), turn),
  }
}
export type ShownTensor = ReturnType<typeof useShownTensor>

export const bytesOf = ({ count, dtype }: Statistics): number => count * elementBytes(dtype.toLowerCase())

/** The indices of an element by its number, row by row. */
export function indexOf(at: number, shape: readonly number[]): number[] {
  const index: number[] = []
  let rest = at
  for (const size of [...shape].reverse()) {
    index.unshift(rest % size)
    rest = Math.floor(rest / size)
  }
  return index
}
