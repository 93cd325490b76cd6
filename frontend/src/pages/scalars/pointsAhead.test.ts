import { beforeEach, expect, test, vi } from 'vitest'

import { createHub, setHub } from '../../data/live/hub'
import { askAhead } from './pointsAhead'
import type { TagIndex } from './tagIndex'
import type { ViewParams } from './viewParams'

const NAMES = ['accuracy', 'loss', 'lr']
const SERIES: Record<string, number[]> = { accuracy: [1, 2], loss: [3, 4], lr: [5, 6] }
let watched: number[]

beforeEach(() => {
  const hub = createHub('ws://none', () => ({}) as WebSocket)
  watched = []
  vi.spyOn(hub.series, 'watch').mockImplementation((series) => {
    watched.push(series)
    return { series: {} as never, release: () => undefined }
  })
  setHub(hub)
  vi.useFakeTimers()
  return () => {
    vi.useRealTimers()
    setHub(null)
  }
})

function ask(params: Record<string, unknown> = {}, runs = 2): number[] {
  const index = {
    names: { value: NAMES },
    settledRowsOf: ([tag]: string[]) => SERIES[tag].map((series) => ({ series })),
    runsOf: () => Array.from({ length: runs }, (_, run) => run),
  }
  const standard = { full: '', pins: null, filter: '', superseded: 'show', groupBy: null, many: 'auto' }
  const refs = Object.fromEntries(Object.entries({ ...standard, ...params }).map(([name, value]) => [name, { value }]))
  askAhead(index as unknown as TagIndex, refs as unknown as ViewParams)
  return watched
}

test('the loss is asked for where nobody has pinned anything', () => {
  expect(ask()).toEqual([3, 4])
})

test('what somebody has pinned, or looks at alone, is asked for instead', () => {
  expect(ask({ pins: ['lr', 'loss'] })).toEqual([5, 6])
  watched = []
  expect(ask({ pins: ['lr'], full: 'accuracy' })).toEqual([1, 2])
})

test.each([{ filter: 'acc' }, { pins: ['gone'] }, { groupBy: 'lr' }, { many: 'bands' }])(
  'nothing is asked for where another card may come first, or draws something else: %o',
  (params) => {
    expect(ask(params)).toEqual([])
  },
)

test('runs too many to be drawn one by one are not asked for', () => {
  expect(ask({}, 1000)).toEqual([])
})
