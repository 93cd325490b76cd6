import { expect, it } from 'vitest'

import { paintRuns } from './colours'

const runs = (...colours: number[]): { number: number; colour: number }[] =>
  colours.map((colour, at) => ({ number: at + 1, colour }))

it('gives each run its own colour where it is free', () => {
  expect([...paintRuns(runs(4, 2, 9)).values()].map((paint) => paint.colour)).toEqual([4, 2, 9])
})

it('gives ten runs ten colours, whatever their names ask for', () => {
  const paints = [...paintRuns(runs(...new Array<number>(10).fill(7))).values()]
  expect(new Set(paints.map((paint) => paint.colour)).size).toBe(10)
  expect(paints.every((paint) => paint.dash.length === 0)).toBe(true)
})

it('dashes from the eleventh run on', () => {
  const paints = [...paintRuns(runs(...Array.from({ length: 25 }, (_, at) => at % 10))).values()]
  expect(paints[10]).toEqual({ colour: 0, dash: [6, 3] })
  expect(paints[20]).toEqual({ colour: 0, dash: [2, 2] })
  expect(new Set(paints.map((paint) => `${paint.colour}/${paint.dash.join()}`)).size).toBe(25)
})

it('never repaints who was painted', () => {
  const before = paintRuns(runs(1, 1, 1))
  const after = paintRuns([{ number: 9, colour: 1 }, ...runs(1, 1, 1).slice(1)], before)
  expect(after.get(2)).toEqual(before.get(2))
  expect(after.get(3)).toEqual(before.get(3))
  expect(after.get(9)?.colour).toBe(1)
})
