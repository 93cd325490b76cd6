import { describe, expect, it } from 'vitest'

import { differencesOf, divisors, type Side } from './compare/differences'
import { colourOf, curveOf } from './draw'
import { lanesOf, moved } from './lanes'
import { areaOf } from './memory/curve'
import { meanStep } from './overview/shares'
import { byRank, siblingsOf } from './ranks/siblings'
import type { FlameNode, Head, ProfileFile, Sum } from './source'
import { boxesOf } from './stacks/flame'
import { roundDistance, timeText } from './times'
import { rangeParam } from './viewParams'

const sum = (name: number, own: number, count = 1): Sum => ({
  name,
  own,
  count,
  shape: 0,
  total: own,
  longest: name * 10,
  longest_ns: own,
})
const side = (names: string[], sums: Sum[], steps = 0): Side => ({
  head: {
    names: names.map((name) => [name, 'op']),
    ranges: [0],
    steps: Array.from({ length: steps }, () => [0, 0, 1]),
  },
  sums,
})

describe('differences of two profiles', () => {
  it('join by name, whatever the numbers of names are, and put the largest first', () => {
    const before = side(['step', 'mm', 'relu'], [sum(0, 9000), sum(1, 100), sum(2, 50)])
    const after = side(['step', 'conv', 'mm'], [sum(0, 9999), sum(1, 30), sum(2, 400, 7)])
    expect(differencesOf(before, after).map(({ name, change }) => [name, change])).toEqual([
      ['mm', 300],
      ['relu', -50],
      ['conv', 30],
    ])
    const [mm, relu, conv] = differencesOf(before, after)
    expect([mm?.beforeRow, mm?.afterRow, mm?.afterCount]).toEqual([10, 20, 7])
    expect([relu?.afterRow, conv?.beforeRow]).toEqual([null, null])
  })

  it('are of one step each where both have steps', () => {
    const before = side(['step', 'mm'], [sum(1, 100)], 2)
    const after = side(['step', 'mm'], [sum(1, 200)], 8)
    expect(divisors(before, after)).toEqual([2, 8])
    expect(differencesOf(before, after)[0]?.change).toBe(25 - 50)
    expect(divisors(before, side(['step'], []))).toEqual([1, 1])
  })
})

describe('a flame graph', () => {
  const node = (above: number, depth: number, total: number): FlameNode => ({
    above,
    depth,
    total,
    name: 0,
    count: 1,
    longest: 0,
  })
  const nodes = [node(-1, 0, 60), node(-1, 0, 40), node(0, 1, 30), node(0, 1, 15), node(1, 1, 40), node(3, 2, 5)]
  const places = (root: number | null) => boxesOf(nodes, root).map(({ at, left, wide }) => [at, left, wide])

  it('lays boxes out below those that called them', () => {
    expect(places(null)).toEqual([
      [0, 0, 0.6],
      [1, 0.6, 0.4],
      [2, 0, 0.3],
      [3, 0.3, 0.15],
      [4, 0.6, 0.4],
      [5, 0.3, 0.05],
    ])
  })

  it('gives a chosen box and what is above it the whole width, and hides what is beside it', () => {
    expect(places(3)).toEqual([
      [0, 0, 1],
      [3, 0, 1],
      [5, 0, 1 / 3],
    ])
    expect(boxesOf(nodes, 3).map(({ above }) => above)).toEqual([true, false, false])
    expect(places(99)).toEqual(places(null))
  })
})

it('a mean step leaves slow first steps out', () => {
  const step = (duration: number, waiting: number, running: number, usual = true) => ({
    number: 1,
    start: 0,
    duration,
    waiting,
    running,
    usual,
  })
  const mean = meanStep({ steps: [step(900, 0, 900, false), step(100, 20, 70), step(200, 40, 140)] })
  expect([mean?.count, mean?.left, mean?.duration, mean?.spread]).toEqual([2, 1, 150, 50])
  expect(mean?.parts.map(({ part, share }) => [part, share])).toEqual([
    ['waiting', 0.2],
    ['running', 0.7],
    ['rest', 0.1],
  ])
  expect(meanStep({ steps: [] })).toBeNull()
})

describe('ranks', () => {
  const file = (path: string): ProfileFile => ({ id: path, path }) as ProfileFile

  it('are files of a folder whose names differ by numbers alone', () => {
    const files = ['a/rank10.trace.json', 'a/rank2.trace.json', 'a/other.trace.json', 'b/rank2.trace.json']
    const found = siblingsOf(files.map(file), file('a/rank2.trace.json'))
    expect(found.map(({ path }) => path)).toEqual(['a/rank2.trace.json', 'a/rank10.trace.json'])
  })

  it('may have a folder each', () => {
    const files = ['run/rank_0/trace_view.json', 'run/rank_1/trace_view.json', 'run/x/trace_view.json'].map(file)
    expect(siblingsOf(files, files[0] as ProfileFile)).toHaveLength(2)
  })

  it('are the newest profile of each rank', () => {
    const profiles = [
      { rank: 1, modified: 5 },
      { rank: 0, modified: 9 },
      { rank: 1, modified: 7 },
    ]
    expect(byRank(profiles)).toEqual([
      { rank: 0, modified: 9 },
      { rank: 1, modified: 7 },
    ])
    expect(byRank([{ rank: null, modified: 1 }, ...profiles])).toHaveLength(4)
  })
})

describe('the timeline', () => {
  const track = (process: string, thread: string, slices = 1): Head['tracks'][number] => ({
    process,
    thread,
    slices,
    depth: 2,
    process_name: '',
    thread_name: '',
    process_order: 0,
    thread_order: 0,
  })

  it('has tracks by process and thread, then counters', () => {
    const head = {
      tracks: [track('10', 'b'), track('9', 'a'), track('10', 'a'), track('1', 'empty', 0)],
      counters: [{ process: '9', name: 'queue', unit: '' }],
    } as unknown as Head
    const { lanes, curves, height } = lanesOf(head)
    expect(lanes.map(({ label }) => label)).toEqual(['9 / a', '10 / a', '10 / b'])
    expect(curves.map(({ label }) => label)).toEqual(['9 / queue'])
    expect(curves[0]?.top).toBeGreaterThan(lanes[2]?.top ?? Infinity)
    expect(height).toBeGreaterThan(curves[0]?.top ?? Infinity)
  })

  it('moves and scales around a moment, and stays near the profile', () => {
    expect(moved({ begin: 100, end: 200 }, 1000, { factor: 0.5, around: 0.25 })).toEqual({ begin: 112.5, end: 162.5 })
    expect(moved({ begin: 100, end: 200 }, 1000, { by: -9 }).begin).toBe(0)
    expect(moved({ begin: 0, end: 1000 }, 1000, { factor: 99 }).end).toBeCloseTo(1100)
  })

  it('knows the bounds of a counter, and gives a name one colour', () => {
    expect(
      curveOf([
        [0, 1, 5],
        [9, -2, 3],
      ]),
    ).toMatchObject({ low: -2, high: 5 })
    expect(colourOf('aten::mm')).toBe(colourOf('aten::mm'))
  })

  it.each([
    ['1200-5000', { begin: 1200, end: 5000 }],
    ['5-5', undefined],
    ['x', undefined],
  ])('reads the window %s', (text, range) => {
    expect(rangeParam.parse(text)).toEqual(range)
  })

  it.each([
    [999, '999 ns'],
    [1234, '1.234 µs'],
    [4_210_000, '4.21 ms'],
    [2e9, '2 s'],
  ])('says %d nanoseconds as %s', (time, text) => {
    expect(timeText(time)).toBe(text)
  })

  it('has ticks at round distances', () => {
    expect([0.3, 3, 12, 2000].map(roundDistance)).toEqual([1, 5, 20, 2000])
  })
})

it('a counter keeps its value until the next point', () => {
  const points = [
    [0, 2, 2],
    [50, 4, 4],
  ]
  expect(areaOf(points, 100, 4, 10, 8)).toBe('M0.0 8H0.0V4.0H5.0V0.0H10V8Z')
  expect(areaOf([], 100, 4, 10, 8)).toBe('')
})
