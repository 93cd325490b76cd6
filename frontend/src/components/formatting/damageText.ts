/**
 * Describes a damaged place of an event file in the page's language. Unknown damages keep the server's sentence. Used
 * wherever a run's damage is shown.
 */
import { useI18n } from 'vue-i18n'

import type { Damage } from '../../data/types'
import { useFormat } from './format'

/** @returns the function that describes a damage */
export function useDamageText(): (damage: Damage) => string {
  const { t, te } = useI18n()
  const format = useFormat()
  return ({ code, message, offset, detail }) => {
    const key = `components.damage.${code}`
    if (!te(key)) return message
    const named = Object.fromEntries(
      Object.entries({ ...detail, offset }).map(([name, value]) => [
        name,
        typeof value === 'number' ? format.integer(value) : value,
      ]),
    )
    if (!('skipped' in detail)) return t(key, named)
    return [t(key, named), t(`components.damage.${'next' in detail ? 'passed_over' : 'nothing_follows'}`, named)].join(
      ' ',
    )
  }
}
