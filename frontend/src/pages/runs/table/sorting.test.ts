import { describe, expect, it } from 'vitest'

import { runRow } from '../../../data/rows'
import type { RunRow } from '../../../data/types'
import { wireRun } from '../../../testing/fakeServer'
import { durationOf, nextSort, sharedLead, sortParam } from './sorting'

const lead = (name: string): RunRow => runRow(wireRun(1, { lead_tag: { series: 1, name, last_value: 1 } }))

it('turns a column round and then back to the standard order', () => {
  const first = nextSort(null, 'points')
  const second = nextSort(first, 'points')
  expect([first, second, nextSort(second, 'points')]).toEqual([
    { key: 'points', descending: true },
    { key: 'points', descending: false },
    null,
  ])
  expect(nextSort(second, 'name')).toEqual({ key: 'name', descending: false })
})

it('travels in the address as the query language has it', () => {
  expect(sortParam.parse('-max(accuracy/val)')).toEqual({ key: 'max(accuracy/val)', descending: true })
  expect(sortParam.parse('-')).toBeUndefined()
  expect(sortParam.format({ key: 'name', descending: false })).toBe('name')
})

describe('sharedLead', () => {
  it('names the lead tag in the head only where all share it', () => {
    expect(sharedLead([lead('loss'), runRow(wireRun(2, { lead_tag: null }))])).toBe('loss')
    expect(sharedLead([lead('loss'), lead('accuracy')])).toBeNull()
  })
})

it('knows no duration of a run without points', () => {
  expect(durationOf(runRow(wireRun(1, { first_wall: null })))).toBeNull()
  expect(durationOf(runRow(wireRun(1, { first_wall: 10, last_wall: 25 })))).toBe(15)
})
