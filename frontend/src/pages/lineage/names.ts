/**
 * Display texts of columns and values: parameters and metrics by their own names, facts of runs in the page's language.
 */
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../components/formatting/format'
import type { CellValue } from '../../data/runs/runTable'
import type { Column } from './table'

/** The name of a column without its group prefix. */
export function shortName(name: string): string {
  return name.replace(/^(?:params|metrics)\./, '')
}

export function useColumnNames(t: (key: string) => string): (column: Pick<Column, 'name' | 'group'>) => string {
  return ({ name, group }) => (group === 'run' ? t(`lineage.fact.${name}`) : shortName(name))
}

/** A parameter is shown as it was entered: 0.1 stays 0.1, and long numbers are rounded. */
const SHORT = 7

export function useValueText(): (column: Pick<Column, 'name' | 'group'>, value: CellValue) => string {
  const { t } = useI18n()
  const format = useFormat()
  return ({ name, group }, value) => {
    if (value === null) return t('lineage.notSet')
    if (group === 'run') {
      if (name === 'duration') return format.duration(Number(value))
      if (name === 'opened') return format.moment(Number(value))
      if (name === 'last_step') return format.integer(Number(value))
      return t(`components.state.${String(value)}`)
    }
    if (typeof value !== 'number') return String(value)
    const plain = String(value)
    return plain.length <= SHORT && Number.isFinite(value) && Math.abs(value) < 1e4
      ? plain.replace('-', '−')
      : format.number(value)
  }
}
