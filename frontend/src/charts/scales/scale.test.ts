import { describe, expect, it } from 'vitest'

import { linearPart, LOG, scaleOf, symlog } from './scale'
import {
  bandsOf,
  marks,
  parseRule,
  parseRules,
  parseSmoothing,
  ruleText,
  rulesText,
  smoothingText,
  type Rule,
} from '../view'

describe('scales', () => {
  it.each([-1e6, -10, -3, 0, 1e-9, 10, 11, 1e9])('turn %d there and back', (value) => {
    expect(symlog(10).from(symlog(10).to(value))).toBeCloseTo(value, -Math.log10(Math.abs(value) || 1) + 9)
  })

  it('have no place for what has no logarithm', () => {
    expect([LOG.to(0), LOG.to(-1)].every(Number.isNaN)).toBe(true)
    expect(scaleOf('linear').to(-4)).toBe(-4)
  })

  it('are linear up to a stated power of ten', () => {
    expect([10, 100, -1000].map(symlog(10).to)).toEqual([1, 2, -3])
    expect([1, 999, 1000, 0, Infinity].map(linearPart)).toEqual([0.001, 1, 1, 1, 1])
  })
})

describe('rules', () => {
  const both: Rule = { above: 10, below: 0, join: 'or' }

  it.each<[string, Rule]>([
    ['>10', { above: 10, below: null, join: 'or' }],
    ['<-1e-05', { above: null, below: -1e-5, join: 'or' }],
    ['<0,>10', both],
    ['>0&<1', { above: 0, below: 1, join: 'and' }],
  ])('are written as %s', (text, rule) => {
    expect(parseRule(text)).toEqual(rule)
    expect(parseRule(ruleText(rule))).toEqual(rule)
  })

  it.each(['', '10', '>', '>1,>2', '>1&<', 'x', '>1;<2'])('are not %j', (text) =>
    expect(parseRule(text)).toBeUndefined(),
  )

  it('come in lists', () => {
    expect(parseRules('>10;<0,>10')).toEqual([{ above: 10, below: null, join: 'or' }, both])
    expect(rulesText(parseRules('')!)).toBe('')
    expect(parseRules('>10;no')).toBeUndefined()
  })

  it('mark values beyond their bounds, infinities too, NaN never', () => {
    expect([-1, 0, 10, 11, Infinity, -Infinity, NaN].map((value) => marks(both, value))).toEqual([
      true,
      false,
      false,
      true,
      true,
      true,
      false,
    ])
    const between: Rule = { above: 0, below: 1, join: 'and' }
    expect([0, 0.5, 1].map((value) => marks(between, value))).toEqual([false, true, false])
  })

  it('mark bands', () => {
    expect(bandsOf(both)).toEqual([
      { min: -Infinity, max: 0 },
      { min: 10, max: Infinity },
    ])
    expect(bandsOf({ above: 0, below: 1, join: 'and' })).toEqual([{ min: 0, max: 1 }])
    expect(bandsOf({ above: 1, below: 0, join: 'and' })).toEqual([])
  })
})

it.each(['0.6', 'mean:0.9', 'gaussian:0.5'])('the smoothing %s is written as it is read', (text) =>
  expect(smoothingText(parseSmoothing(text)!)).toBe(text),
)
it.each(['1', '-0.1', 'median:0.5', '', 'mean:'])('%j is no smoothing', (text) =>
  expect(parseSmoothing(text)).toBeUndefined(),
)
