/** Lays the page out: the large view, the head, the cards of all tags. Pure. */
import { cardRows, CARD_HEIGHT, GAP, HEAD_HEIGHT, type CardRow, type GridRow } from '../../components/lists/cardRows'
import { byName } from '../../components/lists/tagNames'
import type { Measure } from './measures'
import type { RunTag } from './tags'

const LARGE_HEIGHT = 2 * CARD_HEIGHT + GAP
const LARGE_HEIGHT_NARROW = 3 * CARD_HEIGHT
export const MINI_HEIGHT = 96

/**
 * As recorded is the network's order; by name; by how much the last step differs from the first; by share at zero; by
 * max|x|.
 */
export const SORTS = ['recorded', 'name', 'change', 'zeros', 'size'] as const
export type Sort = (typeof SORTS)[number]

export type TagRow = (GridRow & { kind: 'large' | 'head' }) | CardRow<RunTag>

const KEYS: Partial<Record<Sort, keyof Measure>> = { change: 'ks', zeros: 'atZero', size: 'maxAbs' }

/** Whether an order needs the changes of lines. */
export const isMeasured = (sort: Sort): boolean => KEYS[sort] !== undefined

/**
 * Tags in an order; the most changed come first, those of which nothing is known last.
 * @param measure of a line; null if unknown
 */
export function sortGroups(
  groups: readonly RunTag[][],
  sort: Sort,
  measure: (of: RunTag) => Measure | null = () => null,
): RunTag[][] {
  const first = (group: RunTag[]): number => Math.min(...group.map((one) => one.recorded))
  const key = KEYS[sort]
  const ranks = new Map(
    groups.map((group) => [group, key ? Math.max(...group.map((one) => measure(one)?.[key] ?? -1)) : 0]),
  )
  return [...groups].sort((a, b) => {
    const apart = (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0)
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
 * All rows from top to bottom. Beside the large view stand small cards, two where one card would be; else cards, where
 * several runs of a tag stand side by side and every tag begins a row.
 */
export function layRows(groups: readonly RunTag[][], columns: number, large: boolean): TagRow[] {
  const several = groups.some((group) => group.length > 1)
  const inRows = (cards: readonly RunTag[]): TagRow[] =>
    large ? cardRows(cards, 2 * columns, (card) => card.key, MINI_HEIGHT) : cardRows(cards, columns, (card) => card.key)
  const cards = several && !large ? groups.flatMap(inRows) : inRows(groups.flat())
  const height = (columns === 1 ? LARGE_HEIGHT_NARROW : LARGE_HEIGHT) + GAP
  return [
    ...(large ? [{ kind: 'large', key: 'large', height } as const] : []),
    { kind: 'head', key: 'head', height: HEAD_HEIGHT },
    ...cards,
  ]
}
