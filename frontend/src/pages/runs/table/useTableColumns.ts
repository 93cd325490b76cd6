/** The columns of the table and their widths: from the address, otherwise those stored in this browser. */
import { computed, type ComputedRef, type WritableComputedRef } from 'vue'

import { storedJson } from '../../../scaffold/stored'
import { useQueryParam } from '../../../scaffold/viewState'
import { columnName, columnsParam, NAME_WIDTH, standardWidth } from './columns'

/** Null is the choice to see the standard columns. */
function isChoice(value: unknown): value is string[] | null {
  return value === null || isTexts(value)
}
function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
function isWidths(value: unknown): value is Record<string, number> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'number')
}

/** A mean with deviation and best value needs more room than one number; a parameter has no best value. */
const GROUPED_WIDTH = { measured: 196, given: 132 }
const BUILT_IN_GROUPED: Record<string, number> = { '@last': 172, '@step': 176, '@duration': 176 }
const DELTA_WIDTH = 70

export interface TableColumns {
  columns: WritableComputedRef<readonly string[]>
  /** Whether a user has chosen the columns. */
  chosen: ComputedRef<boolean>
  /** Shows the standard columns again. */
  reset: () => void
  widthOf: (column: string) => number
  setWidth: (column: string, width: number) => void
}

export function useTableColumns(
  grouped: () => boolean,
  withDelta: () => boolean,
  standard: () => readonly string[],
): TableColumns {
  const remembered = storedJson<string[] | null>('runColumns', isChoice, null)
  const widths = storedJson<Record<string, number>>('runColumnWidths', isWidths, {})
  const named = useQueryParam('cols', columnsParam)
  const columns = computed<readonly string[]>({
    get: () => named.value ?? remembered.value ?? standard(),
    set(next) {
      remembered.value = [...next]
      named.value = next
    },
  })
  function widthOf(column: string): number {
    const own = widths.value[column]
    if (own !== undefined) return own
    if (column === '@name') return NAME_WIDTH.standard
    const standard = standardWidth(column)
    if (column.startsWith('@')) return grouped() && column in BUILT_IN_GROUPED ? BUILT_IN_GROUPED[column] : standard
    return Math.max(
      standard + (withDelta() ? DELTA_WIDTH : 0),
      grouped() ? GROUPED_WIDTH[columnName(column).figure === null ? 'given' : 'measured'] : 0,
    )
  }
  return {
    columns,
    chosen: computed(() => (named.value ?? remembered.value) !== null),
    reset() {
      remembered.value = null
      named.value = null
    },
    widthOf,
    setWidth: (column, width) => void (widths.value = { ...widths.value, [column]: width }),
  }
}
