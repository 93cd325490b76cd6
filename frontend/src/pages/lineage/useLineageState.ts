/** Computes the shared state of the page from its table and its address. Called by LineagePage.vue. */
import {
  computed,
  onScopeDispose,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
  type ShallowRef,
  type WritableComputedRef,
} from 'vue'

import { usePreferences } from '../../scaffold/preferences'
import { currentInk } from '../../charts/drawing/theme'
import { useRuns } from '../../data/runs/runs'
import { goodScale, standardAxes, targets, type Axis } from './axes'
import { rowsPassing, type Brushes } from './brushes'
import { endsOf, NOT_PASSING, paletteOf, rowsByValue, shadesOf, worthOf } from './colouring'
import type { LineageContext } from './context'
import type { LineageTable, NumberColumn } from './table'
import { useSelection } from './useSelection'
import type { ViewParams } from './viewParams'

const ID_LENGTH = 12
/** Milliseconds. */
const OTHERS_AFTER = 60
const NOBODY = new Uint8Array(0)
const NONE: ReadonlySet<number> = new Set()
const NOBODIES = new Uint32Array(0)

/** The rows of hidden runs. */
function useHiddenRows(table: ShallowRef<LineageTable | null>): ComputedRef<ReadonlySet<number>> {
  const runs = useRuns()
  const hiddenRuns = shallowRef<readonly number[]>([])
  // Ten thousand runs may arrive one by one. The rows are computed once each time, and unchanged results trigger no
  // redraw.
  watch(
    () => [...runs.byNumber.values()].filter(({ marks }) => marks.hidden).map(({ number }) => number),
    (numbers) => {
      if (numbers.join() !== hiddenRuns.value.join()) hiddenRuns.value = numbers
    },
    { immediate: true },
  )
  return computed<ReadonlySet<number>>(() => {
    if (!table.value || hiddenRuns.value.length === 0) return NONE
    const numbers = new Set(hiddenRuns.value)
    return new Set(Array.from(table.value.runs.keys()).filter((row) => numbers.has(table.value?.runs[row] ?? 0)))
  })
}

/** During a drag the axes update at once and the other views, which have more to do, a moment later. */
function useLater(now: ComputedRef<Uint8Array>, isDragged: () => boolean): ShallowRef<Uint8Array> {
  const later = shallowRef(now.value)
  let timer: ReturnType<typeof setTimeout> | undefined
  function follow(): void {
    clearTimeout(timer)
    timer = undefined
    later.value = now.value
  }
  watch(
    now,
    () => {
      if (!isDragged() || later.value.length !== now.value.length) follow()
      else timer ??= setTimeout(follow, OTHERS_AFTER)
    },
    { flush: 'sync' },
  )
  onScopeDispose(() => clearTimeout(timer))
  return later
}

/** The run whose panel is open. */
function useOpened(params: ViewParams): WritableComputedRef<number | null> {
  const runs = useRuns()
  return computed<number | null>({
    get() {
      const id = params.opened.value
      if (id === null) return null
      for (const run of runs.byNumber.values()) if (run.id.startsWith(id)) return run.number
      return null
    },
    set: (number) =>
      (params.opened.value = number === null ? null : (runs.byNumber.get(number)?.id.slice(0, ID_LENGTH) ?? null)),
  })
}

interface Coloured {
  table: ShallowRef<LineageTable | null>
  targetColumn: ComputedRef<NumberColumn | null>
  passing: ShallowRef<Uint8Array>
  passingNow: ComputedRef<Uint8Array>
}

/** The colours of runs by target, over the range of the passing runs. */
function useColours({ table, targetColumn, passing, passingNow }: Coloured) {
  const preferences = usePreferences()
  const palette = computed(() => {
    const theme = preferences.resolvedTheme
    const ink = currentInk()
    return paletteOf(theme, ink.colour('var(--text-2)'), ink.colour('var(--line-strong)'))
  })
  const log = computed(() => targetColumn.value !== null && goodScale(targetColumn.value) === 'log')
  const byValue = computed(() => (targetColumn.value ? rowsByValue(targetColumn.value) : NOBODIES))
  const worth = computed(() => worthOf(targetColumn.value, byValue.value, log.value, table.value?.count ?? 0))
  const endsAmong = (of: Readonly<Ref<Uint8Array>>) =>
    computed(() => (targetColumn.value ? endsOf(targetColumn.value, byValue.value, of.value) : null))
  const ends = endsAmong(passing)
  const shades = computed(() => shadesOf(targetColumn.value, ends.value, log.value, passing.value))
  const now = { passing: passingNow, ends: endsAmong(passingNow) }
  const colourOf = (row: number): string => palette.value[shades.value[row] ?? NOT_PASSING] ?? ''
  return { now, shades, worth, palette, ends, colourOf }
}

export function useLineageState(table: ShallowRef<LineageTable | null>, params: ViewParams): LineageContext {
  // --- target and axes
  const numbers = computed(() => (table.value ? targets(table.value) : []))
  const targetColumn = computed<NumberColumn | null>(() => {
    const wanted = table.value?.columns.get(params.target.value)
    if (wanted?.kind === 'number') return wanted
    return numbers.value.find(({ group }) => group === 'metrics' || group === 'scalars') ?? null
  })
  const target = computed<string>({
    get: () => targetColumn.value?.name ?? '',
    set: (name) => (params.target.value = name),
  })
  const axes = computed<readonly Axis[]>({
    get() {
      const known = table.value
      if (!known) return []
      return params.axes.value?.filter(({ name }) => known.columns.has(name)) ?? standardAxes(known, target.value)
    },
    set: (chosen) => (params.axes.value = chosen),
  })

  // --- passing runs
  /** The brush during a drag; it is written to the address at the end. */
  const moving = shallowRef<Brushes | null>(null)
  const brushes = computed<Brushes>({
    get: () => moving.value ?? params.brushes.value,
    set(next) {
      moving.value = null
      params.brushes.value = next
    },
  })
  const hidden = useHiddenRows(table)
  const passingNow = computed(() => (table.value ? rowsPassing(table.value, brushes.value, hidden.value) : NOBODY))
  const passing = useLater(passingNow, () => moving.value !== null)
  const passingCount = computed(() => {
    let count = 0
    for (const one of passingNow.value) count += one
    return count
  })

  const colours = useColours({ table, targetColumn, passing, passingNow })

  // --- one run
  const opened = useOpened(params)
  const highlighted = ref<number | null>(null)
  // The same row of another table is another run.
  watch(table, () => (highlighted.value = null), { flush: 'sync' })

  return {
    table,
    query: params.query,
    target,
    axes,
    brushes,
    preview: (next) => (moving.value = next),
    ...colours,
    passing,
    passingCount,
    highlighted,
    hidden,
    opened,
    selection: useSelection(),
    ranking: shallowRef([]),
  }
}
