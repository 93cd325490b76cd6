import { describe, expect, it } from 'vitest'

import { best, score } from './ranking'

const found = (query: string, titles: string[], most = 9): string[] =>
  best(
    query,
    titles.map((title) => ({ title })),
    most,
  ).found.map(({ title }) => title)

describe('what fits a query', () => {
  it('comes first where it begins with it, then where a word does, then anywhere, then letter by letter', () => {
    expect(found('acc', ['a_c_c', 'macc', 'train/acc', 'accuracy', 'loss'])).toEqual([
      'accuracy',
      'train/acc',
      'macc',
      'a_c_c',
    ])
  })

  it('has all words, in any order and case', () => {
    expect(found('LOSS val', ['loss/train', 'val/loss', 'val'])).toEqual(['val/loss'])
  })

  it('is the shorter among equals', () => {
    expect(found('loss', ['loss_scale', 'loss'])).toEqual(['loss', 'loss_scale'])
  })

  it('is counted beyond what is shown', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({ title: `run_${at}` }))
    expect(best('run', many, 6)).toMatchObject({ more: 9994 })
    expect(best('run_4812', many, 6).found[0]).toEqual({ title: 'run_4812' })
  })

  it('is nothing for what does not fit', () => {
    expect(score('xyz', 'loss')).toBe(0)
    expect(score('', 'loss')).toBe(0)
    expect(score('l', 'all')).toBeGreaterThan(0)
  })
})
