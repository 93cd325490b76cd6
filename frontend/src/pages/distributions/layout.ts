/** Lays the page out: the large view, the head, the cards of all tags. Pure. */
import { cardRows, CARD_HEIGHT, GAP, HEAD_HEIGHT, type CardRow, type GridRow } from '../../components/cardRows'
import { byName } from '../../components/tagNames'
import type { RunTag } from './tags'

const LARGE_HEIGHT = 2 * CARD_HEIGHT + GAP
const LARGE_HEIGHT_NARROW = 3 * CARD_HEIGHT

export type Sort = 'recorded' | 'name'
export const SORTS: readonly [Sort, ...Sort[]] = ['recorded', 'name']

export type TagRow = (GridRow & { kind: 'large' | 'head' }) | CardRow<RunTag>

/** Tags in the order in which they were first recorded, which is the network's, or by name. */
export function sortGroups(groups: readonly RunTag[][], sort: Sort): RunTag[][] {
  const first = (group: RunTag[]): number => Math.min(...group.map((one) => one.recorded))
  return [...groups].sort((a, b) => (sort === 'recorded' ? first(a) - first(b) : 0) || byName(a[0].tag, b[0].tag))
}

/** All rows from top to bottom. Several runs of a tag stand side by side, and every tag begins a row. */
export function layRows(groups: readonly RunTag[][], columns: number, large: boolean): TagRow[] {
  const inRows = (cards: readonly RunTag[]): TagRow[] => cardRows(cards, columns, (card) => card.key)
  const several = groups.some((group) => group.length > 1)
  const cards = several ? groups.flatMap(inRows) : inRows(groups.flat())
  const height = (columns === 1 ? LARGE_HEIGHT_NARROW : LARGE_HEIGHT) + GAP
  return [...(large ? [{ kind: 'large', key: 'large', height } as const] : []), { kind: 'head', key: 'head', height: HEAD_HEIGHT }, ...cards]
}
