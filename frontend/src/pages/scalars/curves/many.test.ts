import { describe, expect, it } from 'vitest'

import type { SeriesRow } from '../../../data/types'
import { byPattern } from './grouping'
import { drawnAs, topRuns } from './many'
import { freeTitle } from '../ownCharts'
import { LINEAR, LOG } from '../../../charts/scales/scale'
import { BandLayer, reachesZero, rowNear, strength } from './runLayers'
import { allPaths, filterOf, makeTree, openRows } from '../panel/tagTree'

function row(run: number, lastValue: number, changes: Partial<SeriesRow> = {}): SeriesRow {
  return {
    run,
    series: run,
    segment: 0,
    name: 'loss',
    count: 10,
    firstStep: 0,
    lastStep: 9,
    firstWall: 0,
    lastWall: 9,
    lastValue,
    min: lastValue / 2,
    max: lastValue * 2,
    notFinite: 0,
    ...changes,
  }
}

describe('many runs', () => {
  it.each([
    ['auto', 6, 'colour'],
    ['auto', 40, 'colour'],
    ['auto', 41, 'grey'],
    ['auto', 200, 'grey'],
    ['auto', 201, 'density'],
    ['lines', 1000, 'grey'],
    ['lines', 3, 'colour'],
    ['bands', 3, 'bands'],
    ['top', 1000, 'top'],
    ['density', 5, 'density'],
  ] as const)('drawn as %s, %i of them are drawn as %s', (many, count, drawn) =>
    expect(drawnAs(many, count)).toBe(drawn),
  )

  it('have leaders by their last, lowest or highest value', () => {
    const rows = [row(1, 0.3), row(2, 0.1), row(3, NaN), row(4, 0.2, { min: 0.01, max: 9 })]
    expect(topRuns(rows, 'last-low')).toEqual([2, 4, 1])
    expect(topRuns(rows, 'last-high', 2)).toEqual([1, 4])
    expect(topRuns(rows, 'min', 1)).toEqual([4])
    expect(topRuns(rows, 'max', 1)).toEqual([4])
  })

  it('are led by what a run wrote last, not by what it was trained out of', () => {
    const rows = [row(1, 0.1, { lastStep: 50 }), row(1, 0.9, { series: 11, segment: 1, lastStep: 99 }), row(2, 0.5)]
    expect(topRuns(rows, 'last-low')).toEqual([2, 1])
  })
})

describe('groups', () => {
  const runs = ['lr0.1_seed1', 'lr0.1_seed2', 'lr0.01_seed1', 'other'].map((name, at) => ({ number: at + 1, name }))

  it('are made by what an expression finds in the names', () => {
    expect(byPattern('lr([0-9.]+)', runs)).toEqual([
      { name: '–', runs: [4] },
      { name: '0.01', runs: [3] },
      { name: '0.1', runs: [1, 2] },
    ])
    expect(byPattern('^lr', runs).map(({ runs }) => runs)).toEqual([[4], [1, 2, 3]])
  })

  it('have a place on a logarithmic axis, without the part of a band that is not above zero', () => {
    const [x, line, bandLow, bandHigh] = [
      [0, 1, 2],
      [1, 0.5, 0.1],
      [0.5, 0.2, -0.3],
      [2, 0.8, 0.5],
    ].map((column) => Float64Array.from(column))
    const group = { group: 0, low: 0, high: 2, members: 2, points: 6, name: 'a', colour: 'red' }
    const band = { ...group, x, line, bandLow, bandHigh, count: x }
    const layer = new BandLayer([band])
    expect(layer.yExtent({ min: 0, max: 2 }, LOG)).toEqual({ min: 0.1, max: 2 })
    expect(layer.yExtent({ min: 0, max: 2 }, LINEAR)).toEqual({ min: -0.3, max: 2 })
    expect([reachesZero([band]), reachesZero([{ ...band, bandLow: line }])]).toEqual([true, false])
  })

  it('are read at the nearest column, and nowhere far from any', () => {
    const x = Float64Array.from([0, 10, 20, 30])
    const band = { x, line: x, bandLow: x, bandHigh: x, count: x, group: 0, low: 0, high: 30, members: 1, points: 4 }
    expect([-50, 0, 4, 6, 31, 90].map((at) => rowNear(band, at))).toEqual([-1, 0, 0, 1, 3, -1])
  })
})

describe('a density', () => {
  it('is seen where one line runs and strongest where most do', () => {
    expect(strength(0, 9)).toBe(0)
    expect(strength(1, 1)).toBe(1)
    expect(strength(1, 100)).toBeCloseTo(0.1)
    expect(strength(100, 100)).toBe(1)
    expect(strength(10, 100)).toBeCloseTo(0.55)
  })
})

describe('the tree of tags', () => {
  const tree = makeTree(['train/loss', 'train/layer10/w', 'train/layer9/w', 'acc', 'train'])

  it('counts tags at and below each part', () => {
    expect(tree.map(({ path, count, tag }) => [path, count, tag])).toEqual([
      ['acc', 1, true],
      ['train', 4, true],
    ])
    expect(allPaths(tree)).toEqual(['train', 'train/layer9', 'train/layer10'])
  })

  it('shows the rows whose parents are open', () => {
    expect(openRows(tree, new Set()).map(({ key }) => key)).toEqual(['acc', 'train'])
    expect(openRows(tree, new Set(['train'])).map(({ key, level }) => `${level} ${key}`)).toEqual([
      '0 acc',
      '0 train',
      '1 train/layer9',
      '1 train/layer10',
      '1 train/loss',
    ])
  })

  it('filters by a prefix or to one tag, whatever signs it has', () => {
    const [acc, train] = tree
    expect([filterOf(acc), filterOf(train)]).toEqual(['^acc$', '^train/'])
    expect(filterOf(makeTree(['a.b(c)'])[0])).toBe('^a\\.b\\(c\\)$')
  })
})

it('gives charts different titles', () => {
  expect(
    freeTitle('Loss', [
      { title: 'Loss', tags: [] },
      { title: 'Loss 2', tags: [] },
    ]),
  ).toBe('Loss 3')
})
