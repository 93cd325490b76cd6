/** The text of an argument; a word of the page if there is no value. */
import { useI18n } from 'vue-i18n'

import type { Cell } from './pipelines'

export function useCellText(): (cell: Cell) => string {
  const { t } = useI18n()
  return (cell) => (cell.is === 'value' ? cell.text || '""' : t(`data.cell.${cell.is}`))
}
