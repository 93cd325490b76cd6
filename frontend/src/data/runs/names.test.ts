import { describe, expect, it } from 'vitest'

import { nameCut, nameParts, NO_CUT, shortName } from './names'

const BATCH = '2026-11-24_11-29-53'

describe('names of runs', () => {
  it.each([
    [[`${BATCH}/a`, `${BATCH}/b`], `${BATCH}/`],
    [[`${BATCH}/lenet/a`, `${BATCH}/lenet/b`], `${BATCH}/lenet/`],
    [[`${BATCH}/a`, 'b'], ''],
    [['seed_1', 'seed_2'], ''],
    [['lenet', 'lenet/a'], ''],
    [[`${BATCH}/a`], ''],
    [[], ''],
  ])('share a folder: %j', (names, folder) => {
    expect(nameCut(names).folder).toBe(folder)
  })

  it('leave the shared folder out', () => {
    const cut = nameCut([`${BATCH}/a`, `${BATCH}/b`])
    expect([`${BATCH}/a`, 'my name', `${BATCH}/`].map((name) => shortName(name, cut))).toEqual([
      'a',
      'my name',
      `${BATCH}/`,
    ])
  })

  it('keep what differs, in whole words', () => {
    const names = ['x/resnet_lr0.1_b32', 'x/resnet_lr0.01_b32', 'x/resnet_wd_b32']
    const cut = nameCut(names)
    expect(cut).toEqual({ folder: 'x/', start: 'resnet_', end: '_b32' })
    expect(names.map((name) => nameParts(name, cut).head)).toEqual(['lr0.1', 'lr0.01', 'wd'])
  })

  it('do not share a number that only begins alike', () => {
    expect(nameCut(['seed_11', 'seed_12'])).toEqual({ folder: '', start: 'seed_', end: '' })
    expect(nameCut(['a1.25', 'b1.25'])).toEqual({ folder: '', start: '', end: '.25' })
  })

  it('are cut in the middle where all of it differs', () => {
    const name = 'resnet50_adam_lr0.001_seed_17'
    const { start, head, tail, end } = nameParts(name, NO_CUT)
    expect([start, head, tail, end]).toEqual(['', 'resnet50_adam_l', 'r0.001_seed_17', ''])
  })

  it.each(['x/resnet_lr0.1_b32', 'other', 'resnet_', 'x/resnet_b32', ''])('lose no letter: %s', (name) => {
    const cut = { folder: 'x/', start: 'resnet_', end: '_b32' }
    const { start, head, tail, end } = nameParts(name, cut)
    expect(start + head + tail + end).toBe(shortName(name, cut))
  })
})

it('keeps the last part of a path whole and cuts its folder', () => {
  const { start, head, tail, end } = nameParts('lenet/mom_lr001_b32', NO_CUT)
  expect([start, head, tail, end]).toEqual(['', 'lenet/', 'mom_lr001_b32', ''])
})
