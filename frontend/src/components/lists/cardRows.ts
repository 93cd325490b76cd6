/**
 * Arranges cards in rows of known height, so that ten thousand scroll with a few dozen mounted. Pure; see CardGrid.vue.
 */
import { sized } from '../browser/rem'

export interface GridRow {
  /** `head` is a section head, `cards` is a row of the grid; a page may have further kinds. */
  kind: string
  key: string
  /** Height in pixels, including the gap below a row of cards. */
  height: number
}

export interface CardRow<Card> extends GridRow {
  kind: 'cards'
  cards: Card[]
}

export const GAP = sized(12)
export const CARD_HEIGHT = sized(238)
export const HEAD_HEIGHT = sized(30)
/** Space above a head that is not the first row. */
export const HEAD_SPACE = sized(8)
const CARD_WIDTH = sized(300)

/** The number of cards that fit side by side. */
export function columnsFor(width: number): number {
  return Math.max(1, Math.floor((width + GAP) / (CARD_WIDTH + GAP)))
}

/**
 * Divides cards into rows.
 * @param keyOf returns the key of a card; a row has the key of its first card
 */
export function cardRows<Card>(
  cards: readonly Card[],
  columns: number,
  keyOf: (card: Card) => string,
  height = CARD_HEIGHT,
): CardRow<Card>[] {
  const rows: CardRow<Card>[] = []
  for (let at = 0; at < cards.length; at += columns) {
    const part = cards.slice(at, at + columns)
    rows.push({ kind: 'cards', key: keyOf(part[0]), cards: part, height: height + GAP })
  }
  return rows
}
