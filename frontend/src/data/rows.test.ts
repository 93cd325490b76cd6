import { describe, expect, it } from 'vitest'

import { marksOf, runRow, seriesRow, seriesRows, wireFloat, type WireMarks } from './rows'
import { wireRun, wireSeries } from './testing/server'

const MARKS: WireMarks = {
  version: 3,
  tags: ['good'],
  colour: 4,
  note: 'A *note*.',
  pinned: true,
  archived: true,
  icon: 2,
  hidden: true,
  baseline: true,
  display_name: '',
  changed: 1,
}

it.each([
  [1.5, 1.5],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  [null, NaN],
  [undefined, NaN],
  [0, 0],
] as const)('the float %j of the wire is the number %d', (wire, value) => {
  expect(wireFloat(wire)).toBe(value)
})

describe('a run', () => {
  it('has all that the server says', () => {
    const damage = { count: 1, file: 'f', offset: 2, reason: 'r', message: 'm', code: 'c', detail: {} }
    const wire = wireRun(7, {
      state_detail: { pid: 3 },
      damage,
      lead_tag: { series: 70, name: 'loss', last_value: 'NaN' },
      segments: [{ number: 1, first_step: 5, last_step: 9, first_wall: 1200 }],
      reading: { events_per_second: 10, seconds_left: 3 },
      marks: MARKS,
    })
    expect(runRow(wire)).toEqual({
      number: 7,
      directory: 'run_7',
      id: 'id7',
      name: 'run_7',
      colour: 4,
      ownColour: 7,
      marks: MARKS,
      writer: 'mindspore',
      state: 'running',
      stateSince: 1000,
      stateDetail: { pid: 3 },
      firstWall: 1007,
      lastWall: 2000,
      lastStep: 100,
      tags: 1,
      points: 100,
      files: 1,
      bytes: 10,
      bytesRead: 10,
      diskBytes: 10,
      damage,
      leadTag: { series: 70, name: 'loss', lastValue: NaN },
      segments: [{ number: 1, firstStep: 5, lastStep: 9, firstWall: 1200 }],
      reading: { eventsPerSecond: 10, secondsLeft: 3 },
    })
  })

  it('of which nobody noted anything has its own colour and bare marks', () => {
    const row = runRow(wireRun(7))
    expect([row.colour, row.leadTag, row.reading, row.damage]).toEqual([7, null, null, null])
    expect(row.marks).toEqual({
      version: 0,
      display_name: '',
      tags: [],
      colour: null,
      note: '',
      pinned: false,
      archived: false,
      icon: 0,
      hidden: false,
      baseline: false,
    })
    expect(runRow(wireRun(7, { marks: { ...MARKS, colour: null } })).colour).toBe(7)
    // The first of the ten colours counts too.
    expect(runRow(wireRun(7, { marks: { ...MARKS, colour: 0 } })).colour).toBe(0)
    expect(marksOf(MARKS)).toEqual(MARKS)
  })
})

describe('a series', () => {
  it('has all that the server says, and its tag', () => {
    const wire = wireSeries(2, 21, { segment: 1, last_value: '-Infinity', min: null, max: 4, not_finite: 2 })
    expect(seriesRow('acc', wire)).toEqual({
      run: 2,
      series: 21,
      segment: 1,
      name: 'acc',
      count: 3,
      firstStep: 0,
      lastStep: 2,
      firstWall: 1000,
      lastWall: 2000,
      lastValue: -Infinity,
      min: NaN,
      max: 4,
      notFinite: 2,
    })
  })

  it('comes from an answer with those of all tags', () => {
    const tags = [
      { name: 'acc', series: [wireSeries(1, 11), wireSeries(2, 21)] },
      { name: 'loss', series: [wireSeries(1, 12)] },
    ]
    expect(seriesRows({ tags }).map(({ name, series }) => [name, series])).toEqual([
      ['acc', 11],
      ['acc', 21],
      ['loss', 12],
    ])
  })
})
