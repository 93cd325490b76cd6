/**
 * Lays cards out in rows of known height, so that ten thousand scroll with a few dozen mounted. Pure; see CardGrid.vue.
 */

export interface GridRow {
  /** `head` stands on a line, `cards` is a row of the grid; a page may have kinds of its own. */
  kind: string
  key: string
  /** Pixels, with the gap below a row of cards. */
  height: number
}

export interface CardRow<Card> extends GridRow {
  kind: 'cards'
  cards: Card[]
}

export const GAP = 12
export const CARD_HEIGHT = 238
export const HEAD_HEIGHT = 30
/** Above a head that is not the first row. */
export const HEAD_SPACE = 8
const CARD_WIDTH = 300

/** How many cards fit beside one another. */
export function columnsFor(width: number): number {
  return Math.max(1, Math.floor((width + GAP) / (CARD_WIDTH + GAP)))
}

/**
 * Breaks cards into rows.
 * @param keyOf tells the card whose key the row takes: its first
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
