/** How columns are called on the page: parameters and metrics by their own names. */
import type { Column } from './table'

/** The name of a column without the word of its group in front. */
export function shortName(name: string): string {
  return name.replace(/^(?:params|metrics)\./, '')
}

/** What runs differ by without being told of it: their facts have names in the page's language. */
export function useColumnNames(t: (key: string) => string): (column: Pick<Column, 'name' | 'group'>) => string {
  return ({ name, group }) => (group === 'run' ? t(`lineage.fact.${name}`) : shortName(name))
}
