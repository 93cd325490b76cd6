import { describe, expect, it } from 'vitest'

import { completingAt, queryPieces } from './queryTokens'

const looks = (query: string): string[] =>
  queryPieces(query)
    .filter((piece) => piece.look !== 'space')
    .map((piece) => `${piece.text} ${piece.look}`)

describe('queryPieces', () => {
  it('tells names, functions, numbers, signs and words apart', () => {
    expect(looks('lr <= 0.1 and best(accuracy/val) > 80%')).toEqual([
      'lr name',
      '<= sign',
      '0.1 number',
      'and keyword',
      'best function',
      '( sign',
      'accuracy/val name',
      ') sign',
      '> sign',
      '80% number',
    ])
  })

  it('knows fields, values behind signs, and names in quotes', () => {
    expect(looks('state:crashed or not "learning rate" = \'a b\'')).toEqual([
      'state field',
      ': sign',
      'crashed text',
      'or keyword',
      'not keyword',
      '"learning rate" name',
      '= sign',
      "'a b' text",
    ])
  })

  it.each(['lr <', '"open', 'a(b', '😀 = 学习率', '!', ''])('draws every character of %j', (query) => {
    expect(
      queryPieces(query)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(query)
  })
})

describe('completingAt', () => {
  it.each([
    ['opt', { start: 0, typed: 'opt', wanted: 'names' }],
    ['lr < 1 and best(acc', { start: 16, typed: 'acc', wanted: 'names' }],
    ['lr ', { typed: '', wanted: 'signs' }],
    ['best(acc) ', { typed: '', wanted: 'signs' }],
    ['state = fin', { start: 8, typed: 'fin', wanted: 'states' }],
    ['tag:se', { start: 4, typed: 'se', wanted: 'tags' }],
    ['lr < 0.0', { wanted: 'nothing' }],
    ['lr < 0.01 ', { wanted: 'nothing' }],
  ])('knows what can follow %j', (query, expected) => {
    expect(completingAt(query, query.length)).toMatchObject(expected)
  })

  it('replaces the whole word in which the caret stands', () => {
    expect(completingAt('optimizer = adam', 3)).toMatchObject({ start: 0, end: 9, typed: 'opt' })
  })
})
