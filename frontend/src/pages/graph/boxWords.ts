/** Describes boxes in words: the name as drawn, and the meaning of signs and colours. Called by outline and panel. */
import { useI18n } from 'vue-i18n'

import type { Box, Status } from '../../graphs/answers'

const SIGNS: Record<Status, string> = { same: '', added: '+', removed: '−', changed: '~' }

export function useBoxWords() {
  const { t } = useI18n()
  /** "EncoderLayer ×12" */
  const title = (box: Pick<Box, 'name' | 'count' | 'op'>): string =>
    box.count > 1 ? `${box.name || box.op || ''} ×${box.count}` : box.name || box.op || ''
  /** Facts about a box that are shown only by signs and colours: "1 of them differs, added". */
  function more(box: Box): string {
    const parts: string[] = []
    if (box.variants.length) parts.push(t('graph.outline.variants', { n: box.variants.length }, box.variants.length))
    if (box.kind !== 'node' && box.changes)
      for (const one of ['added', 'removed', 'changed'] as const)
        if (box.changes[one]) parts.push(`${box.changes[one]} ${t(`graph.status.${one}`)}`)
    if (box.kind === 'node' && box.status && box.status !== 'same') parts.push(t(`graph.status.${box.status}`))
    return parts.join(t('graph.comma'))
  }
  return { title, more, sign: (status: Status) => SIGNS[status] }
}
