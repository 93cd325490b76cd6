import { describe, expect, it } from 'vitest'

import { distance, makeSections, matcher, nearMatches } from './tagNames'

const TAGS = ['loss', 'accuracy/val', 'grad_norm', 'train/lr', 'train/loss10', 'train/loss9', 'loss/val', 'loss_scale']
const all = (): boolean => true

describe('sections', () => {
  it('go by the part before the slash, those without one first, names in human order', () => {
    expect(makeSections(TAGS, all).map((one) => [one.name, one.tags])).toEqual([
      ['', ['grad_norm', 'loss', 'loss_scale']],
      ['accuracy', ['accuracy/val']],
      ['loss', ['loss/val']],
      ['train', ['train/loss9', 'train/loss10', 'train/lr']],
    ])
  })

  it('count what the filter left of them and vanish when empty', () => {
    const sections = makeSections(TAGS, matcher('train/l.ss'))
    expect(sections).toEqual([{ name: 'train', total: 3, tags: ['train/loss9', 'train/loss10'] }])
  })
})

describe('the filter', () => {
  const matching = (text: string): string[] => TAGS.filter(matcher(text))

  it('is a regular expression without regard to case', () => {
    expect(matching('^LOSS')).toEqual(['loss', 'loss/val', 'loss_scale'])
    expect(matching('norm|lr$')).toEqual(['grad_norm', 'train/lr'])
  })

  it('is plain text where it does not parse', () => {
    expect(['a(b', 'ab'].filter(matcher('a('))).toEqual(['a(b'])
    expect(matching('  ')).toEqual(TAGS)
  })
})

describe('near matches', () => {
  it('measures changes of letters', () => {
    expect([
      distance('lss', 'loss', 9),
      distance('', 'abc', 9),
      distance('same', 'same', 9),
      distance('abcdefgh', 'x', 3),
    ]).toEqual([1, 3, 0, 3])
  })

  it('are the nearest tags first, whole or in part', () => {
    expect(nearMatches(TAGS, 'lss')).toEqual(expect.arrayContaining(['loss', 'loss/val', 'loss_scale']))
    expect(nearMatches(TAGS, 'lss')[0]).toBe('loss')
    expect(nearMatches(TAGS, 'acuracy')[0]).toBe('accuracy/val')
    expect(nearMatches(TAGS, 'zzzzzzzzzz')).toEqual([])
  })
})
