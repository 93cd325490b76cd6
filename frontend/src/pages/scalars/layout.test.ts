import { describe, expect, it } from 'vitest'

import { CARD_HEIGHT, GAP } from '../../components/lists/cardRows'
import { groupByParam } from './curves/grouping'
import { HERO_HEIGHT, layRows, moved } from './layout'
import { chartsParam } from './ownCharts'
import { axisParam, pinsParam, smoothParam, zoomParam } from './viewParams'

describe('the layout', () => {
  it('puts the pinned charts first, the large one over two rows', () => {
    const pinned = { name: '', total: 4, tags: ['a', 'b', 'c', 'd'] }
    const rows = layRows(pinned, ['\u0000own'], [{ name: 'x', total: 4, tags: ['x/1', 'x/2', 'x/3', 'x/4'] }], 3)
    expect(rows.map((row) => (row.kind === 'cards' ? row.cards.join() : row.key))).toEqual([
      'head/pinned',
      'a,b,c',
      'd',
      'head/own',
      '\u0000own',
      'head/x',
      'x/1,x/2,x/3',
      'x/4',
    ])
    expect([rows[1].height, rows[2].height]).toEqual([HERO_HEIGHT + GAP, CARD_HEIGHT + GAP])
  })

  it('has the tags with a single point as one table before the sections', () => {
    const rows = layRows(null, [], [{ name: 'x', total: 1, tags: ['x/1'] }], 3, ['test/acc', 'test/loss'])
    expect(rows.map(({ key }) => key)).toEqual(['head/single', 'singles', 'head/x', 'x/x/1'])
  })

  it('gives every row its own key', () => {
    const sections = Array.from({ length: 50 }, (_, at) => ({
      name: `s${at}`,
      total: 9,
      tags: Array.from({ length: 9 }, (_, tag) => `s${at}/${tag}`),
    }))
    const keys = layRows(null, [], sections, 2).map((row) => row.key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('the address', () => {
  it('holds the zoomed range', () => {
    const zoom = { range: { min: 1200, max: 2400.5 }, tail: false }
    expect(zoomParam.format(zoom)).toBe('1200~2400.5')
    expect(zoomParam.parse('1200~2400.5')).toEqual(zoom)
    expect(zoomParam.parse('10~20>')).toEqual({ range: { min: 10, max: 20 }, tail: true })
    expect(['20~10', 'x', '~', '1~'].map(zoomParam.parse)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('holds pins with any name', () => {
    const pins = ['loss', 'a,b', '100%']
    expect(pinsParam.parse(pinsParam.format(pins) ?? '')).toEqual(pins)
    expect(pinsParam.parse(pinsParam.format([]) ?? '')).toEqual([])
  })

  it('holds how curves are smoothed', () => {
    expect(['0', 'mean:0.9', '1', '-1', 'x', ''].map(smoothParam.parse)).toEqual([
      { kind: 'ema', amount: 0 },
      { kind: 'mean', amount: 0.9 },
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(smoothParam.format({ kind: 'ema', amount: 0.30000001 })).toBe('0.3')
  })

  it('holds another scalar as the x axis', () => {
    expect(['tag:epoch', 'relative-step', 'tag:', 'loss'].map(axisParam.parse)).toEqual([
      'tag:epoch',
      'relative-step',
      undefined,
      undefined,
    ])
  })

  it('holds charts with any title and tags', () => {
    const charts = [
      { title: 'a=b; c', tags: ['x,y', '100%'] },
      { title: 'Losses', tags: ['train/loss'] },
    ]
    expect(chartsParam.parse(chartsParam.format(charts) ?? '')).toEqual(charts)
    expect(['=x', 'x=', 'a=b=c=d', '%=a', 'x'].map(chartsParam.parse)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(chartsParam.format([])).toBe(null)
  })

  it('holds what is read at the right, as long as something is left for the left', () => {
    const charts = [{ title: 'both', tags: ['loss', 'a=b'], right: ['a=b'] }]
    expect(chartsParam.parse(chartsParam.format(charts) ?? '')).toEqual(charts)
    expect(chartsParam.parse('both=a,b=a,b')).toEqual([{ title: 'both', tags: ['a', 'b'] }])
    expect(chartsParam.parse('both=a,b=c')).toEqual([{ title: 'both', tags: ['a', 'b'] }])
  })

  it('holds by what runs are grouped', () => {
    for (const by of [{ keys: ['param:lr', 'tags'] }, { keys: ['param:a,b'] }, { pattern: '^(.*)_seed' }]) {
      expect(groupByParam.parse(groupByParam.format(by) ?? '')).toEqual(by)
    }
    expect(['lr', 'name:(', 'name:', 'param:'].map(groupByParam.parse)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('pinned cards', () => {
  it('are moved among each other', () => {
    expect(moved(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b'])
    expect(moved(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c'])
    expect(moved(['a', 'b'], 'b', 9)).toEqual(['a', 'b'])
    expect(moved(['a', 'b'], 'new', 1)).toEqual(['a', 'new', 'b'])
  })
})
