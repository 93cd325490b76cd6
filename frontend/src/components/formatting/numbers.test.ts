import { describe, expect, it } from 'vitest'

import {
  formatAge,
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatInterval,
  formatNumber,
  formatProgress,
} from './numbers'

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [0.0382, '0.03820'],
    [0.0001, '0.0001000'],
    [0.00001, '1.000e−5'],
    [-4.23456e-7, '−4.235e−7'],
    [1.5, '1.500'],
    [-0.00381, '−0.003810'],
    [32, '32'],
    [999.94, '999.9'],
    [999.97, '1,000'],
    [1213.4, '1,213'],
    [104857, '104,857'],
    [999_999.7, '1.000M'],
    [12_345_678, '12.35M'],
    [-2.5e9, '−2.500G'],
    [7e12, '7.000T'],
    [3e15, '3.000P'],
    [1.5e20, '1.500e20'],
    [NaN, 'NaN'],
    [Infinity, 'Inf'],
    [-Infinity, '−Inf'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  it('keeps four significant digits in every band', () => {
    for (let power = -12; power < 17; power++) {
      const digits = formatNumber(1.23456 * 10 ** power)
        .replace(/e.*$/, '')
        .replace(/^0\.0*/, '')
        .replace(/\D/g, '')
      expect(digits.slice(0, 4)).toBe(power >= 4 && power < 6 ? digits.slice(0, 4) : '1235')
    }
  })
})

describe('sizes, counts and times', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [48_200_000, '48.2 MB'],
    [1_900_000_000, '1.90 GB'],
    [999_999, '1.00 MB'],
  ])('writes %d bytes as %s', (value, text) => expect(formatBytes(value)).toBe(text))

  it('writes progress in one unit', () => {
    expect(formatProgress(41_000_000, 130_400_000)).toEqual(['41', '130 MB'])
    expect(formatProgress(500_000, 1_500_000)).toEqual(['0.5', '1.5 MB'])
    expect(formatProgress(7, 90)).toEqual(['7', '90 B'])
  })

  it.each([
    [7520, '7,520'],
    [123_456, '123k'],
    [999_600, '1.00M'],
    [2_450_000, '2.45M'],
  ])('writes %d points as %s', (value, text) => expect(formatCount(value)).toBe(text))

  it.each([
    [0, '0:00:00'],
    [59.6, '0:01:00'],
    [5311, '1:28:31'],
    [360_000, '100:00:00'],
    [-3, '0:00:00'],
  ])('writes %d seconds as %s', (value, text) => expect(formatDuration(value)).toBe(text))

  it.each([
    [0, '0 s'],
    [2.5e-7, '0.250 µs'],
    [3.2e-6, '3.20 µs'],
    [0.041, '41.0 ms'],
    [0.9996, '1.00 s'],
    [12.34, '12.3 s'],
  ])('writes an interval of %d seconds as %s', (value, text) => expect(formatInterval(value)).toBe(text))

  it.each([
    [0.44, '0.4 s'],
    [9.96, '10 s'],
    [125, '2 min'],
    [7200, '2 h'],
    [400_000, '5 d'],
  ])('writes an age of %d seconds as %s', (value, text) => expect(formatAge(value)).toBe(text))

  it('tells how long ago in both languages', () => {
    expect(formatAgo(0.2)).toBe('now')
    expect(formatAgo(3)).toBe('3 sec. ago')
    expect(formatAgo(3, 'zh-CN')).toBe('3秒前')
    expect(formatAgo(-5)).toBe('now')
  })
})
