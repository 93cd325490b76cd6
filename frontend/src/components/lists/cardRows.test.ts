import { describe, expect, it } from 'vitest'

import { CARD_HEIGHT, cardRows, columnsFor, GAP } from './cardRows'

describe('rows of cards', () => {
  it('fits cards of at least 300 px', () => {
    expect([200, 611, 612, 984, 2400].map(columnsFor)).toEqual([1, 1, 2, 3, 7])
  })

  it('break where a line is full, and take the key of their first card', () => {
    expect(cardRows(['a', 'b', 'c'], 2, (tag) => `x/${tag}`)).toEqual([
      { kind: 'cards', key: 'x/a', cards: ['a', 'b'], height: CARD_HEIGHT + GAP },
      { kind: 'cards', key: 'x/c', cards: ['c'], height: CARD_HEIGHT + GAP },
    ])
  })
})
