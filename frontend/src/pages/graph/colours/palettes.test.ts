import { describe, expect, it } from 'vitest'

import {
  legendOf,
  legendOfKernels,
  limitsOfAmounts,
  limitsOfCounts,
  limitsOfNorms,
  paletteOfKernels,
  paletteOfLimits,
  paletteOfNames,
  paletteOfOperators,
} from './palettes'

const names = (count: number) => new Map(Array.from({ length: count }, (_, at) => [`s${at}`, `Block ${at}`]))

describe('palettes of names', () => {
  it('give what is behind the last colour one colour together, with an entry of its own', () => {
    const palette = paletteOfNames(names(14), 'others')
    expect(new Set([...names(14).keys()].map((one) => palette.entryOf(one)?.colour)).size).toBe(11)
    expect(palette.entryOf('s13')?.label).toBe('others')
    expect(palette.entryOf('s99')).toBeUndefined()
  })

  it('tell only what is seen', () => {
    const palette = paletteOfNames(names(4), 'others')
    expect(legendOf(palette, ['s2', 's0', 's2'], 'no repeat').map(({ label }) => label)).toEqual(['Block 0', 'Block 2'])
    expect(legendOf(palette, ['s2', null], 'no repeat').map(({ label, colour }) => [label, colour !== null])).toEqual([
      ['Block 2', true],
      ['no repeat', false],
    ])
    expect(legendOf(palette, [], 'no repeat')).toEqual([])
  })

  it('keep their colours when others are hidden', () => {
    const palette = paletteOfNames(names(4), 'others')
    const [, second] = legendOf(palette, ['s0', 's1'], '')
    expect(legendOf(palette, ['s1'], '')).toEqual([second])
  })
})

describe('a palette of kernels', () => {
  const palette = paletteOfKernels((number) => `kernel ${number}`)
  const seen = (...numbers: (number | null)[]) =>
    legendOf(
      palette,
      numbers.map((one) => (one === null ? null : String(one))),
      'in none',
    )

  it('gives neighbours different colours, and a kernel the same again', () => {
    for (let number = 0; number < 40; number++)
      expect(palette.entryOf(String(number))?.colour).not.toBe(palette.entryOf(String(number + 1))?.colour)
    expect(palette.entryOf('7')).toBe(palette.entryOf('7'))
  })

  it('tells those that are seen in order, and at last what is in none', () => {
    expect(legendOfKernels(seen(12, 2, 12, null), (n) => `${n} more`).map(({ label }) => label)).toEqual([
      'kernel 2',
      'kernel 12',
      'in none',
    ])
    expect(legendOfKernels(seen(null), (n) => `${n} more`).map(({ label }) => label)).toEqual(['in none'])
  })

  it('tells of many how many more there are', () => {
    const told = legendOfKernels(seen(...Array.from({ length: 14 }, (_, at) => at), null), (n) => `${n} more`)
    expect(told.map(({ label }) => label).slice(-3)).toEqual(['kernel 9', '4 more', 'in none'])
    expect(legendOfKernels(seen(...Array.from({ length: 10 }, (_, at) => at)), (n) => `${n} more`)).toHaveLength(10)
  })
})

it('a palette of operators tells the kinds that are seen', () => {
  const palette = paletteOfOperators((family) => family)
  expect(legendOf(palette, ['Adam', 'Conv2D', 'MatMul'], '').map(({ label }) => label)).toEqual(['product', 'update'])
})

describe('palettes of limits', () => {
  const palette = paletteOfLimits(limitsOfAmounts(100), (amount) => String(Math.round(amount)), 'not finite')
  it('put an amount under the step that says so', () => {
    expect(palette.entries.map(({ label }) => label)).toEqual(['≤ 4', '≤ 16', '≤ 36', '≤ 64', '≤ 100'])
    for (const amount of [0, 3.9, 4, 4.1, 16, 35, 64, 64.1, 100]) {
      const steps = [4, 16, 36, 64, 100]
      expect(palette.entryOf(String(amount))?.label).toBe(`≤ ${steps.find((one) => amount <= one)}`)
    }
  })

  it('tell the whole scale, and that an amount is not known', () => {
    expect(legendOf(palette, ['7', null], 'not measured').map(({ label }) => label)).toEqual([
      '≤ 4',
      '≤ 16',
      '≤ 36',
      '≤ 64',
      '≤ 100',
      'not measured',
    ])
    expect(legendOf(palette, [null], 'not measured').map(({ label }) => label)).toEqual(['not measured'])
    expect(paletteOfLimits(limitsOfAmounts(0), String, '').entryOf('0')?.key).toBe('0')
  })

  it('keep what is no finite number out of the scale, and tell it where it is seen', () => {
    expect(legendOf(palette, ['inf', '7'], '').map(({ label }) => label)).toEqual([
      '≤ 4',
      '≤ 16',
      '≤ 36',
      '≤ 64',
      '≤ 100',
      'not finite',
    ])
    expect(legendOf(palette, ['inf', null], 'no gradient').map(({ label }) => label)).toEqual([
      'not finite',
      'no gradient',
    ])
    expect(palette.entries.map(({ colour }) => colour)).not.toContain(palette.entryOf('inf')?.colour)
  })
})

it('counts have whole numbers as limits, each once', () => {
  expect(limitsOfCounts(1)).toEqual([1])
  expect(limitsOfCounts(4)).toEqual([1, 2, 3, 4])
  expect(limitsOfCounts(100)).toEqual([4, 16, 36, 64, 100])
})

describe('limits of norms', () => {
  it('go from the least to the most in equal ratios', () => {
    const limits = limitsOfNorms([1e-6, 10, 0, Infinity, NaN, 0.1])
    expect(limits).toHaveLength(5)
    expect(limits[4]).toBeCloseTo(10)
    expect(limits[1] / limits[0]).toBeCloseTo(10 ** 1.4)
    const palette = paletteOfLimits(limits, String, 'not finite')
    for (const norm of [0, 1e-6, 0.1, 10]) expect(palette.entries).toContain(palette.entryOf(String(norm)))
    expect(palette.entryOf('0')).toBe(palette.entries[0])
    expect(palette.entryOf('10')).toBe(palette.entries[4])
  })

  it('are one where all are equal, or nothing', () => {
    expect(limitsOfNorms([2, 2])).toEqual([2])
    expect(limitsOfNorms([0, 0])).toEqual([0])
    expect(limitsOfNorms([])).toEqual([0])
  })
})
