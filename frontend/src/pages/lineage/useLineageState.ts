/** Derives what the page shows from its table and its address: the context of all parts. Called by LineagePage.vue. */
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

/** The rows of the runs that people hid. */
function useHiddenRows(table: ShallowRef<LineageTable | null>): ComputedRef<ReadonlySet<number>> {
  const runs = useRuns()
  const hiddenRuns = shallowRef<readonly number[]>([])
  // Ten thousand runs arrive one by one: they are looked at once, and while the same ones are hidden nothing is drawn
  // anew.
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

/** What the axes show at once, and the other views a moment later while a brush is dragged: they have more to do. */
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

/** The colours of runs by the target, over the range of those that pass. */
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
  // --- what is aimed at, and the axes
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

  // --- which runs pass
  /** While one is dragged; the address has it when it is let go. */
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
  // A row of another table is another run.
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
