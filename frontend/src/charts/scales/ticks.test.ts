import { describe, expect, it } from 'vitest'

import { sentenceDigits, sentenceNumber, tickText } from './numbers'
import { LINEAR, LOG, scaleOf, symlog } from './scale'
import { axisWidth, durationText, linearTicks, logTicks, xText, xTicks, yTicks } from './ticks'

describe('ticks', () => {
  it('are round numbers inside the range', () => {
    expect(linearTicks(0, 12_500, 6)).toEqual([0, 2000, 4000, 6000, 8000, 10_000, 12_000])
    expect(linearTicks(0.1, 0.96, 4)).toEqual([0.2, 0.4, 0.6, 0.8])
    expect(linearTicks(-0.3, 0.3, 3)).toEqual([-0.2, 0, 0.2])
  })

  it('survive a range of no width', () => {
    expect(linearTicks(5, 5, 4)).toEqual([5])
  })

  it('are powers of ten, with 2 and 5 between few of them', () => {
    expect(yTicks(LOG, -1.4, 0.5, 250).text).toEqual(['0.05', '0.1', '0.2', '0.5', '1', '2'])
    expect(yTicks(LOG, -5, 0, 200).text).toEqual(['1e−5', '1e−4', '0.001', '0.01', '0.1', '1'])
    expect(logTicks(-30, 0, 4).length).toBeLessThan(6)
    expect(yTicks(LOG, 0.31, 0.44, 200).at.length).toBeGreaterThan(1)
  })

  it('lie on both sides of the linear part of a symmetric logarithmic axis', () => {
    expect(yTicks(symlog(1), -3, 3, 250).text).toEqual(['−100', '−10', '−1', '0', '1', '10', '100'])
    expect(yTicks(symlog(0.001), 1.2, 3.4, 120).text.length).toBeGreaterThan(1)
    expect(yTicks(symlog(10), -0.5, 0.5, 120).text).toContain('0')
  })

  it('of a logarithmic x axis are powers of ten', () => {
    expect(xTicks('step', { min: 0, max: 5 }, 700, 40, scaleOf('log')).text).toEqual([
      '1',
      '10',
      '100',
      '1k',
      '10k',
      '100k',
    ])
    expect(xTicks('relative', { min: 0, max: 4 }, 700, 40, scaleOf('log')).text[2]).toBe('1m 40s')
  })

  it('of steps are whole', () => {
    expect(xTicks('step', { min: 0, max: 5 }, 1000, 40).text).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(xTicks('step', { min: 0, max: 5000 }, 570, 40).text).toEqual(['0', '1k', '2k', '3k', '4k', '5k'])
  })

  it('are left out where their text would be cut', () => {
    expect(xTicks('step', { min: 11_000, max: 12_500 }, 250, 12).text).toEqual(['11k', '11.5k', '12k'])
  })

  it('of durations are round durations', () => {
    expect(xTicks('relative', { min: 0, max: 7200 }, 400, 40).text).toEqual(['0', '30m', '1h', '1h 30m', '2h'])
    expect(xTicks('relative', { min: 0, max: 90 }, 300, 40).text).toEqual(['0', '30s', '1m', '1m 30s'])
  })

  it('of wall time name the hour or the day', () => {
    const noon = new Date(2026, 2, 1, 12).getTime() / 1000
    expect(xTicks('wall', { min: noon, max: noon + 7200 }, 300, 40).text).toEqual([
      '12:00',
      '12:30',
      '13:00',
      '13:30',
      '14:00',
    ])
    expect(
      xTicks('wall', { min: noon, max: noon + 10 * 86400 }, 300, 40).text.every((text) => /^\d\d-\d\d$/.test(text)),
    ).toBe(true)
  })
})

describe('neighbouring ticks', () => {
  it.each([
    ['a constant that wavers late', 2_503_000_000, 2_503_001_024, '2.5030002G'],
    ['an accuracy near one', 0.99991, 0.99998, '0.99992'],
    ['an accuracy nearer to one', 0.999999901, 0.999999908, '0.999999902'],
    ['counts far from zero', 12_345_678, 12_345_690, '12.34568M'],
    ['less than zero', -1.000_000_5, -1, '−1.0000004'],
  ])('of %s say different things', (_what, low, high, one) => {
    for (const height of [120, 200, 500]) {
      const { at, text } = yTicks(LINEAR, low, high, height)
      expect(at.length).toBeGreaterThan(1)
      expect(new Set(text).size).toBe(text.length)
    }
    expect(yTicks(LINEAR, low, high, 200).text).toContain(one)
  })

  it('on a logarithmic axis too', () => {
    const { text } = yTicks(LOG, Math.log10(0.99991), Math.log10(0.99998), 200)
    expect(text.length).toBeGreaterThan(1)
    expect(new Set(text).size).toBe(text.length)
  })

  it('end where numbers do', () => {
    const least = 2_503_000_000 * Number.EPSILON
    expect(linearTicks(2_503_000_000, 2_503_000_000 + least, 4).length).toBeLessThan(100)
    expect(linearTicks(-1.7e308, 1.7e308, 4).every(Number.isFinite)).toBe(true)
  })

  it('of times go down to fractions of a second', () => {
    const texts = (axis: 'relative' | 'wall', min: number, span: number): string[] =>
      xTicks(axis, { min, max: min + span }, 300, 40).text
    expect(texts('relative', 3600, 0.5)).toEqual(['1h 0m 0s', '1h 0m 0.2s', '1h 0m 0.4s'])
    expect(texts('relative', 12.2, 0.1)).toEqual(['12.2s', '12.22s', '12.24s', '12.26s', '12.28s', '12.3s'])
    expect(texts('relative', 7200, 60)).toEqual(['2h 0m 0s', '2h 0m 15s', '2h 0m 30s', '2h 0m 45s', '2h 1m 0s'])
    const noon = new Date(2026, 2, 1, 12).getTime() / 1000
    expect(texts('wall', noon, 0.9)).toEqual(['12:00:00.000', '12:00:00.500'])
    expect(texts('wall', noon, 1.6 * 86400)[0]).toMatch(/^03-0\d \d\d:00$/)
  })
})

it('makes room for long texts', () => {
  expect(axisWidth({ at: [1], text: ['0.001', '8k'] }, 44)).toBe(44)
  expect(axisWidth({ at: [1], text: ['0.99992'] }, 44)).toBe(57)
  expect(axisWidth({ at: [], text: [] }, 44)).toBe(44)
})

it.each([
  [2_503_000_000, 2_503_100_000, '2.503G', '2.5031G'],
  [0.99991, 0.99998, '0.99991', '0.99998'],
  [1148.2, 1148.4, '1,148.2', '1,148.4'],
  [2.306, 0.0418, '2.31', '0.0418'],
  [5, 5, '5', '5'],
  [1, 1 + 1e-15, '1', '1'],
])('the sentence tells %d from %d', (first, last, one, other) => {
  const digits = sentenceDigits(first, last)
  expect([sentenceNumber(first, 'en', digits), sentenceNumber(last, 'en', digits)]).toEqual([one, other])
})

it.each([
  [0, '0'],
  [0.05, '0.05'],
  [8000, '8k'],
  [1_200_000, '1.2M'],
  [1e-5, '1e−5'],
  [-0.2, '−0.2'],
  [2.5e-7, '2.5e−7'],
  [1e15, '1e15'],
])('the tick %d is written %s', (value, text) => expect(tickText(value)).toBe(text))

it.each([
  [2.3062, '2.31'],
  [0.0418, '0.0418'],
  [1148, '1,148'],
  [3_481_000, '3.48M'],
  [0.000042, '4.2e−5'],
  [NaN, 'NaN'],
  [-Infinity, '−Inf'],
])('the sentence has %d as %s', (value, text) => expect(sentenceNumber(value, 'en')).toBe(text))

it('writes places in full', () => {
  expect(xText('step', 4812.4)).toBe('4,812')
  expect(xText('relative', 5400)).toBe('1h 30m')
  expect(durationText(86400 * 3 + 3600)).toBe('3d 1h')
  expect(xText('wall', new Date(2026, 2, 1, 10, 2, 11).getTime() / 1000)).toBe('2026-03-01 10:02:11')
})
