import { expect, it } from 'vitest'

import { Columns } from './columns'
import { decodeFrames } from '../frames'
import { loggedStep } from './loggedSteps'
import { encodeFrame } from '../testing/frames'

function columns(...step: number[]): Columns {
  const made = new Columns()
  made.replace(decodeFrames(encodeFrame({ step, value: step.map(() => 0) }))[0], 100)
  return made
}

it('walks over the steps of all curves', () => {
  const both = [columns(10, 20, 30), columns(15, 30, 45)]
  const walk = [10, 15, 20, 30, 45].map((from) => loggedStep(both, from, 1))
  expect(walk).toEqual([15, 20, 30, 45, 45])
  expect(loggedStep(both, 45, -1)).toBe(30)
  expect(loggedStep(both, 17, -1)).toBe(15)
  expect(loggedStep(both, 10, 3)).toBe(30)
  expect(loggedStep(both, 30, -10)).toBe(10)
})

it('counts one by one without data', () => {
  expect(loggedStep([], 7, -2)).toBe(5)
  expect(loggedStep([new Columns()], 7, 1)).toBe(8)
})

it('knows nothing of steps that a view held before', () => {
  const shorter = columns(10, 20, 30)
  shorter.replace(decodeFrames(encodeFrame({ step: [5], value: [0] }))[0], 100)
  expect(loggedStep([shorter], 5, 1)).toBe(5)
})

it('never goes back where steps begin anew', () => {
  expect(loggedStep([columns(10, 30, 20)], 30, 1)).toBe(30)
})
