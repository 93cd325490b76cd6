/** Boxes in words: the name as it is drawn, and a sentence for those who listen. Called by outline, panel and drawing. */
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../components/format'
import type { Box, Status } from './answers'

const SIGNS: Record<Status, string> = { same: '', added: '+', removed: '−', changed: '~' }

export function useBoxWords() {
  const { t } = useI18n()
  const format = useFormat()
  /** "EncoderLayer ×12" */
  const title = (box: Pick<Box, 'name' | 'count' | 'op'>): string => (box.count > 1 ? `${box.name || box.op || ''} ×${box.count}` : box.name || box.op || '')
  /** "Stack EncoderLayer, 12 times, 828 operators" */
  function sentence(box: Box): string {
    const parts = [t(`graph.kind.${box.kind}`, { name: box.name || box.op || '' })]
    if (box.count > 1) parts.push(t('graph.outline.times', { n: box.count }))
    if (box.kind !== 'node') parts.push(t('graph.operators', { n: format.integer(box.operators) }, box.operators))
    if (box.variants.length) parts.push(t('graph.outline.variants', { n: box.variants.length }, box.variants.length))
    if (box.status && box.status !== 'same') parts.push(t(`graph.status.${box.status}`))
    return parts.join(t('graph.comma'))
  }
  return { title, sentence, sign: (status: Status) => SIGNS[status] }
}
