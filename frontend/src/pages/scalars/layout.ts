/** Lays out the charts: the pinned ones first with a large one, then custom charts, then the sections. Pure. */
import {
  cardRows,
  CARD_HEIGHT,
  GAP,
  HEAD_HEIGHT,
  HEAD_SPACE,
  type CardRow,
  type GridRow,
} from '../../components/lists/cardRows'
import type { Section } from '../../components/lists/tagNames'
import { sized } from '../../components/browser/rem'

export type HeadKind = 'pinned' | 'own' | 'layout' | 'single' | 'section'

interface HeadRow extends GridRow {
  kind: 'head'
  section: Section
  of: HeadKind
}

/** The tags with a single point, as one table. */
interface SinglesRow extends GridRow {
  kind: 'singles'
  tags: readonly string[]
}

export type ChartRow = HeadRow | SinglesRow | (CardRow<string> & { hero?: boolean })

/** Height of two rows of cards with their gap, for the large chart with its table. */
export const HERO_HEIGHT = 2 * CARD_HEIGHT + GAP

/** Up to this many charts share the page evenly. */
export const MOST_SHARING = 3
const SINGLE_ROW = sized(26)
/** Further rows of single values are scrolled to. */
const MOST_SINGLE_ROWS = 12

/** Number of charts in the pinned section before anything is pinned: the large one and those beside it. */
export function pinnedRoom(columns: number): number {
  return 1 + Math.max(0, columns - 2) * 2
}

function head(section: Section, of: HeadKind, first: boolean): HeadRow {
  const space = first ? 0 : HEAD_SPACE
  const name = of === 'section' ? section.name : of === 'layout' ? `layout/${section.name}` : of
  return { kind: 'head', key: `head/${name}`, section, of, height: HEAD_HEIGHT + space }
}

function pinnedRows(section: Section, columns: number): ChartRow[] {
  const room = pinnedRoom(columns)
  return [
    head(section, 'pinned', true),
    { kind: 'cards', key: 'hero', cards: section.tags.slice(0, room), hero: true, height: HERO_HEIGHT + GAP },
    ...cardRows(section.tags.slice(room), columns, (tag) => `pinned/${tag}`),
  ]
}

/**
 * All rows of the page, from top to bottom.
 * @param own the keys of custom charts
 * @param singles the tags that are in the table of single values
 * @param layouts the categories of the runs' own layouts, with keys of custom charts
 */
export function layRows(
  pinned: Section | null,
  own: readonly string[],
  sections: readonly Section[],
  columns: number,
  singles: readonly string[] = [],
  layouts: readonly Section[] = [],
): ChartRow[] {
  const rows: ChartRow[] = pinned?.tags.length ? pinnedRows(pinned, columns) : []
  if (own.length) {
    const section = { name: '', total: own.length, tags: [...own] }
    rows.push(head(section, 'own', rows.length === 0), ...cardRows(own, columns, (key) => `own/${key}`))
  }
  for (const section of layouts) {
    rows.push(
      head(section, 'layout', rows.length === 0),
      ...cardRows(section.tags, columns, (key) => `layout/${section.name}/${key}`),
    )
  }
  if (singles.length) {
    const height = (Math.min(MOST_SINGLE_ROWS, singles.length) + 1) * SINGLE_ROW + sized(18)
    const section = { name: '', total: singles.length, tags: [...singles] }
    rows.push(head(section, 'single', rows.length === 0))
    rows.push({ kind: 'singles', key: 'singles', tags: singles, height: height + GAP })
  }
  for (const section of sections) {
    rows.push(
      head(section, 'section', rows.length === 0),
      ...cardRows(section.tags, columns, (tag) => `${section.name}/${tag}`),
    )
  }
  return rows
}

/** All cards in display order. */
export const cardsOf = (rows: readonly ChartRow[]): string[] =>
  rows.flatMap((row) => (row.kind === 'cards' ? row.cards : []))

/** A list with one item moved to the position of another. */
export function moved(list: readonly string[], item: string, to: number): string[] {
  const others = list.filter((one) => one !== item)
  const at = Math.max(0, Math.min(others.length, to))
  return [...others.slice(0, at), item, ...others.slice(at)]
}
