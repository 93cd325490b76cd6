import { describe, expect, it } from 'vitest'

import { CARD_HEIGHT, GAP } from '../../components/cardRows'
import { HERO_HEIGHT, layRows } from './layout'
import { mainTag, standardPins } from './pins'
import { pinsParam, smoothParam, zoomParam } from './viewParams'

const TAGS = ['loss', 'accuracy/val', 'grad_norm', 'train/lr', 'train/loss10', 'train/loss9', 'loss/val', 'loss_scale']

describe('the large chart', () => {
  it.each([
    [TAGS, 'loss'],
    [['acc', 'train/loss', 'Loss/auto'], 'Loss/auto'],
    [['eval/loss', 'lr'], 'eval/loss'],
    [['glossary', 'b', 'a'], 'a'],
  ])('of %j is %s', (tags, main) => expect(mainTag(tags)).toBe(main))

  it('has scores and other losses beside it', () => {
    expect(standardPins(TAGS, 3)).toEqual(['loss', 'accuracy/val', 'loss/val'])
    expect(standardPins([], 3)).toEqual([])
  })
})

describe('the layout', () => {
  it('puts the pinned charts first, the large one over two rows', () => {
    const pinned = { name: '', total: 4, tags: ['a', 'b', 'c', 'd'] }
    const rows = layRows(pinned, [{ name: 'x', total: 4, tags: ['x/1', 'x/2', 'x/3', 'x/4'] }], 3)
    expect(rows.map((row) => (row.kind === 'head' ? row.key : row.cards.join()))).toEqual([
      'head/pinned', 'a,b,c', 'd', 'head/x', 'x/1,x/2,x/3', 'x/4',
    ])
    expect([rows[1].height, rows[2].height]).toEqual([HERO_HEIGHT + GAP, CARD_HEIGHT + GAP])
  })

  it('gives every row its own key', () => {
    const sections = Array.from({ length: 50 }, (_, at) => ({ name: `s${at}`, total: 9, tags: Array.from({ length: 9 }, (_, tag) => `s${at}/${tag}`) }))
    const keys = layRows(null, sections, 2).map((row) => row.key)
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

  it('holds a weight between 0 and 0.99', () => {
    expect(['0', '0.6', '0.99', '1', '-1', 'x', ''].map(smoothParam.parse)).toEqual([0, 0.6, 0.99, undefined, undefined, undefined, undefined])
    expect(smoothParam.format(0.30000001)).toBe('0.3')
  })
})
