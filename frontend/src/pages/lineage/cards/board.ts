/**
 * State shared by the cards below the axes: selections, the importance from the server, colours of runs. Provided by
 * LineageCards.
 */
import { computed, inject, provide, watch, type ComputedRef, type InjectionKey } from 'vue'

import { currentInk } from '../../../charts/drawing/theme'
import { useAnswer, type Answer } from '../../../data/answer'
import { useRuns } from '../../../data/runs/runs'
import { differs } from '../axes'
import { useLineage } from '../context'
import type { Column, NumberColumn } from '../table'
import type { Effect, ImportanceResult } from './answers'
import { axisColumns, betterOf, columnName } from './columns'
import { askWorked, useQuestion } from './requests'
import { rgbOf } from './plots/stamps'
import { useCardParams, type CardParams } from './viewParams'

/** How the rows are painted. */
export interface Paint {
  /** Rows within all brushes and not hidden, the best of the target last. */
  passing: readonly number[]
  /** Rows outside of a brush and not hidden. */
  others: readonly number[]
  /** By row, the index of its colour. */
  shades: Uint8Array
  /** Red, green and blue of each colour. */
  rgb: Uint8Array
}

export interface Board {
  params: CardParams
  /** The column of the target, if it is numeric. */
  target: ComputedRef<NumberColumn | null>
  columns: ComputedRef<readonly Column[]>
  importance: Answer<ImportanceResult>
  /** Finds the effect for the column of a parameter. */
  effectOf: (column: string) => Effect | null
  /** Parameters by importance, highest first; in the order of the table while it is unknown. */
  ranked: ComputedRef<readonly string[]>
  paint: ComputedRef<Paint>
  /** The name of a row's run. */
  nameOf: (row: number) => string
  rowOf: (run: number) => number | null
}

const KEY: InjectionKey<Board> = Symbol('lineage cards')

/** @throws Error outside of the cards */
export function useBoard(): Board {
  const board = inject(KEY)
  if (!board) throw new Error('There are no lineage cards around this component.')
  return board
}

/** All rows, worst first by a column; rows without a number come first. */
function worstFirst(count: number, column: NumberColumn | null): Uint32Array {
  const rows = Uint32Array.from({ length: count }, (_, row) => row)
  if (!column) return rows
  const sign = betterOf(column) === 'max' ? 1 : -1
  const worth = column.values.map((value) => (Number.isNaN(value) ? -Infinity : sign * value))
  // Infinities are equal to themselves, but their difference is NaN.
  return rows.sort((a, b) => (worth[a] === worth[b] ? a - b : worth[a] < worth[b] ? -1 : 1))
}

/** Channels of the palette's colours. */
function channelsOf(palette: readonly string[]): Uint8Array {
  const rgb = new Uint8Array(3 * palette.length)
  palette.forEach((css, at) => rgb.set(rgbOf(currentInk().colour(css)), 3 * at))
  return rgb
}

function usePaint(target: ComputedRef<NumberColumn | null>): ComputedRef<Paint> {
  const { table, passing, hidden, shades, palette } = useLineage()
  const order = computed(() => worstFirst(table.value?.count ?? 0, target.value))
  const rgb = computed(() => channelsOf(palette.value))
  return computed(() => {
    const within = passing.value
    const chosen: number[] = []
    const others: number[] = []
    for (const row of order.value) {
      if (within[row]) chosen.push(row)
      else if (!hidden.value.has(row)) others.push(row)
    }
    return { passing: chosen, others, shades: shades.value, rgb: rgb.value }
  })
}

export function provideBoard(): Board {
  const lineage = useLineage()
  const runs = useRuns()
  const params = useCardParams()
  const { table } = lineage
  const question = useQuestion()
  const target = computed(() => {
    const column = table.value?.columns.get(lineage.target.value)
    return column?.kind === 'number' ? column : null
  })
  const importance = useAnswer<ImportanceResult>(
    () => (target.value ? JSON.stringify(question()) : null),
    (signal, tell) => askWorked('importance', question(), signal, tell),
    () => table.value,
  )
  const columns = computed(() => (table.value ? axisColumns(table.value) : []))
  const effects = computed(
    () => new Map(importance.value.value?.effects.map((effect) => [columnName(effect.name), effect])),
  )
  const ranked = computed(() => {
    const known =
      importance.value.value?.parameters
        .map(({ name }) => columnName(name))
        .filter((name) => table.value?.columns.has(name)) ?? []
    return known.length
      ? known
      : columns.value.filter((column) => column.group === 'params' && differs(column)).map(({ name }) => name)
  })
  watch(ranked, (names) => (lineage.ranking.value = names), { immediate: true })
  const rows = computed(() => new Map(Array.from(table.value?.runs ?? [], (run, row) => [run, row])))
  const board: Board = {
    params,
    target,
    columns,
    importance,
    ranked,
    effectOf: (name) => effects.value.get(name) ?? null,
    paint: usePaint(target),
    nameOf(row) {
      const run = table.value?.runs[row] ?? 0
      return runs.byNumber.get(run)?.name ?? String(run)
    },
    rowOf: (run) => rows.value.get(run) ?? null,
  }
  provide(KEY, board)
  return board
}
