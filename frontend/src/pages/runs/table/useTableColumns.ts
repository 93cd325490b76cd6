/** The columns of the table and their widths: from the address, otherwise those stored in this browser. */
import { computed, type WritableComputedRef } from 'vue'

import { storedJson } from '../../../scaffold/stored'
import { useQueryParam } from '../../../scaffold/viewState'
import { columnName, columnsParam, NAME_WIDTH, standardWidth, STANDARD_COLUMNS } from './columns'

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
function isWidths(value: unknown): value is Record<string, number> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'number')
}

/** A mean with deviation and best value needs more room than one number; a parameter has no best value. */
const GROUPED_WIDTH = { measured: 172, given: 132 }
const DELTA_WIDTH = 70

export interface TableColumns {
  columns: WritableComputedRef<readonly string[]>
  widthOf: (column: string) => number
  setWidth: (column: string, width: number) => void
}

export function useTableColumns(grouped: () => boolean, withDelta: () => boolean): TableColumns {
  const remembered = storedJson<string[]>('runColumns', isTexts, [...STANDARD_COLUMNS])
  const widths = storedJson<Record<string, number>>('runColumnWidths', isWidths, {})
  const named = useQueryParam('cols', columnsParam)
  const columns = computed<readonly string[]>({
    get: () => named.value ?? remembered.value,
    set(next) {
      remembered.value = [...next]
      named.value = next.join() === STANDARD_COLUMNS.join() ? null : next
    },
  })
  function widthOf(column: string): number {
    const own = widths.value[column]
    if (own !== undefined) return own
    if (column === '@name') return NAME_WIDTH.standard
    const standard = standardWidth(column)
    if (column.startsWith('@')) return standard
    return Math.max(
      standard + (withDelta() ? DELTA_WIDTH : 0),
      grouped() ? GROUPED_WIDTH[columnName(column).figure === null ? 'given' : 'measured'] : 0,
    )
  }
  return {
    columns,
    widthOf,
    setWidth: (column, width) => void (widths.value = { ...widths.value, [column]: width }),
  }
}
