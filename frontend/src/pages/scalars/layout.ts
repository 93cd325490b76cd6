/** Lays the charts out: the pinned ones first with a large one, then the sections. Pure. */
import { cardRows, CARD_HEIGHT, GAP, HEAD_HEIGHT, HEAD_SPACE, type CardRow, type GridRow } from '../../components/cardRows'
import type { Section } from '../../components/tagNames'

interface HeadRow extends GridRow {
  kind: 'head'
  section: Section
  pinned: boolean
}

export type ChartRow = HeadRow | (CardRow<string> & { hero?: boolean })

/** Two rows of cards with their gap: the large chart with its table. */
export const HERO_HEIGHT = 2 * CARD_HEIGHT + GAP

/** How many charts the pinned section shows while nobody has pinned any: the large one and those beside it. */
export function pinnedRoom(columns: number): number {
  return 1 + Math.max(0, columns - 2) * 2
}

function head(section: Section, pinned: boolean, first: boolean): HeadRow {
  const space = first ? 0 : HEAD_SPACE
  return { kind: 'head', key: `head/${pinned ? 'pinned' : section.name}`, section, pinned, height: HEAD_HEIGHT + space }
}

function pinnedRows(section: Section, columns: number): ChartRow[] {
  const room = pinnedRoom(columns)
  return [
    head(section, true, true),
    { kind: 'cards', key: 'hero', cards: section.tags.slice(0, room), hero: true, height: HERO_HEIGHT + GAP },
    ...cardRows(section.tags.slice(room), columns, (tag) => `pinned/${tag}`),
  ]
}

/** All rows of the page, from top to bottom. */
export function layRows(pinned: Section | null, sections: readonly Section[], columns: number): ChartRow[] {
  const rows: ChartRow[] = pinned?.tags.length ? pinnedRows(pinned, columns) : []
  for (const section of sections) {
    rows.push(head(section, false, rows.length === 0), ...cardRows(section.tags, columns, (tag) => `${section.name}/${tag}`))
  }
  return rows
}
