/** Lays the page out: the large view, the head, the cards of all tags. Pure. */
import { cardRows, CARD_HEIGHT, GAP, HEAD_HEIGHT, type CardRow, type GridRow } from '../../components/lists/cardRows'
import { byName } from '../../components/lists/tagNames'
import { layerRows, type Layer, type LayerRow } from './layers/layers'
import type { Measure } from './measures'
import type { RunTag } from './tags'
import { sized } from '../../components/browser/rem'

const LARGE_HEIGHT = 2 * CARD_HEIGHT + GAP
const LARGE_HEIGHT_NARROW = 3 * CARD_HEIGHT
export const MINI_HEIGHT = sized(96)

/**
 * As recorded is the network's order; by name; by how much the last step differs from the first; by share at zero; by
 * max|x|, the largest or the smallest first.
 */
export const SORTS = ['recorded', 'name', 'change', 'zeros', 'size', 'small'] as const
export type Sort = (typeof SORTS)[number]

/** One card for a layer with all that it recorded, or one for each tag. */
export const CARDS = ['layer', 'tag'] as const
export type Cards = (typeof CARDS)[number]

export type TagRow = (GridRow & { kind: 'large' | 'head' }) | CardRow<RunTag> | LayerRow

const KEYS: Partial<Record<Sort, keyof Measure>> = { change: 'ks', zeros: 'atZero', size: 'maxAbs', small: 'maxAbs' }

/** Whether an order needs the changes of lines. */
export const isMeasured = (sort: Sort): boolean => KEYS[sort] !== undefined

/**
 * Tags in an order; the most changed come first (of sizes also the smallest), those of which nothing is known last.
 * @param measure of a line; null if unknown
 */
export function sortGroups(
  groups: readonly RunTag[][],
  sort: Sort,
  measure: (of: RunTag) => Measure | null = () => null,
): RunTag[][] {
  const first = (group: RunTag[]): number => Math.min(...group.map((one) => one.recorded))
  const key = KEYS[sort]
  const rank = (group: RunTag[]): number => {
    if (!key) return 0
    const known = group.map((one) => measure(one)?.[key] ?? null).filter((one) => one !== null)
    if (!known.length) return -Infinity
    return sort === 'small' ? -Math.min(...known) : Math.max(...known)
  }
  const ranks = new Map(groups.map((group) => [group, rank(group)]))
  return [...groups].sort((a, b) => {
    const [higher, lower] = [ranks.get(b) ?? 0, ranks.get(a) ?? 0]
    const apart = higher === lower ? 0 : higher - lower
    return apart || (sort === 'name' ? 0 : first(a) - first(b)) || byName(a[0].tag, b[0].tag)
  })
}

/** The number of letters in the common ending of names, in whole parts between dots and slashes. */
export function commonEnding(names: readonly string[]): number {
  if (names.length < 2) return 0
  const [first, ...others] = names
  let at = 0
  for (let length = 1; length < Math.min(...names.map((name) => name.length)); length++) {
    const ending = first.slice(-length)
    if (!others.every((name) => name.endsWith(ending))) break
    if (ending.startsWith('.') || ending.startsWith('/')) at = length
  }
  return at
}

/**
 * All rows from top to bottom. Beside the large view stand small cards, two where one card would be; else the cards of
 * layers.
 */
export function layRows(
  groups: readonly RunTag[][],
  layers: readonly Layer[],
  columns: number,
  large: boolean,
): TagRow[] {
  const cards = large
    ? cardRows(groups.flat(), 2 * columns, (card) => card.key, MINI_HEIGHT)
    : layerRows(layers, columns)
  const height = (columns === 1 ? LARGE_HEIGHT_NARROW : LARGE_HEIGHT) + GAP
  return [
    ...(large ? [{ kind: 'large', key: 'large', height } as const] : []),
    { kind: 'head', key: 'head', height: HEAD_HEIGHT },
    ...cards,
  ]
}
