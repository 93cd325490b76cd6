/** Puts other names into a query. Pure. */
import type { components } from '../data/schema'

export type MeantName = components['schemas']['MeantName']
type Other = MeantName['others'][number]

/**
 * The query with the condition of one name replaced by those of others.
 * @param beside whether the condition itself stays as well
 */
export function taken(query: string, meant: MeantName, others: readonly Other[], beside = false): string {
  // The server counts characters, the browser UTF-16 units.
  const letters = [...query]
  const end = meant.position + meant.length
  const own = letters.slice(meant.position, end).join('')
  const conditions = [...(beside ? [own] : []), ...others.map((other) => other.instead)]
  const written = conditions.length > 1 ? `(${conditions.join(' or ')})` : conditions.join('')
  return letters.slice(0, meant.position).join('') + written + letters.slice(end).join('')
}
