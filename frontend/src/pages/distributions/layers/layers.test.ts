import { describe, expect, it } from 'vitest'

import type { RunTag } from '../tags'
import { onInterval, unionOf } from '../drawing/commonScale'
import { viewOf, wireHistogram } from '../testing'
import { layerOf, layerRows, layersOf, tagLayers } from './layers'

const line = (tag: string, run: number): RunTag => ({
  key: `${run}:${tag}`,
  tag,
  run,
  together: [run],
  parts: [],
  count: 1,
  firstStep: 0,
  recorded: 1,
})
const group = (tag: string, runs = 1): RunTag[] => Array.from({ length: runs }, (_, at) => line(tag, at + 1))

describe('layers', () => {
  it.each([
    ['conv1.weight', 'conv1'],
    ['encoder/dense/kernel', 'encoder/dense'],
    ['conv1.weight/auto', 'conv1'],
    ['loss', 'loss'],
    ['body.0.weight.grad', 'body.0'],
    ['conv1/kernel_gradient', 'conv1'],
    ['fc.weight/grad', 'fc'],
    ['grad', 'grad'],
  ])('the layer of %s is %s', (tag, layer) => expect(layerOf(tag)).toBe(layer))

  it('keep the order of their first tag; one tag alone keeps its name', () => {
    const layers = layersOf([group('b.weight'), group('a.weight'), group('b.bias')], 'apart')
    expect(layers.map(({ name, panes }) => [name, panes.map(({ part }) => part)])).toEqual([
      ['b', ['weight', 'bias']],
      ['a.weight', ['']],
    ])
    expect(tagLayers([group('b.weight'), group('b.bias')], 'apart').map(({ name }) => name)).toEqual([
      'b.weight',
      'b.bias',
    ])
  })

  it('leave out the plots of many runs until somebody wants all', () => {
    const groups = [group('a.weight', 30)]
    expect(layersOf(groups, 'apart')[0]).toMatchObject({ hidden: 6 })
    expect(layersOf(groups, 'apart', new Set(['a']))[0]).toMatchObject({ hidden: 0 })
    expect(layersOf(groups, 'overlaid')[0].panes).toHaveLength(1)
  })

  it('stand beside each other as far as they fit', () => {
    const layers = layersOf([group('a.w'), group('b.w'), group('b.v'), group('c.w', 4), group('d.w')], 'apart')
    expect(layerRows(layers, 3).map((row) => row.layers.map(({ layer, span }) => [layer.key, span]))).toEqual([
      [
        ['a', 1],
        ['b', 2],
      ],
      [['c', 3]],
      [['d', 1]],
    ])
  })
})

describe('a common scale', () => {
  it('contains every interval and keeps every element', () => {
    const frame = viewOf([wireHistogram(0)], 3)
    const common = unionOf([frame.interval, { low: -10, high: 50 }])!
    expect(common).toMatchObject({ low: -10, high: 50 })
    const moved = onInterval(frame, common)
    expect(moved.counts.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 3)
    expect(unionOf([])).toBeNull()
  })
})
