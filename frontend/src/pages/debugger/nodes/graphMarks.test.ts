import { expect, it } from 'vitest'

import type { Placed } from '../context'
import { cause, hits, program, watching } from '../data/messages'
import { CAUSE, HITS, PROGRAM, WATCHING } from '../testing/recorded'
import { colouring, markedBoxes, markedNames, watchedNames } from './graphMarks'

const all: Placed[] = program(PROGRAM).nodes.map((node, at) => ({ node, order: at + 1 }))
const places = {
  'Default/fc/MatMul-op1': '0',
  'Default/loss/Softmax-op2': '1.0',
  'Default/loss/Log-op3': '1.1',
  'Default/loss/Mul-op4': '1.2',
  'fc.weight': '0',
}
const told = hits(HITS)
const live = {
  standing: 'Default/fc/MatMul-op1',
  step: 812,
  hits: [{ step: 812, hits: told.hits, leftOut: 0 }],
  cause: cause(CAUSE),
  watching: watching(WATCHING),
}

it('finds what a watchpoint looks at by kinds, patterns and names', () => {
  const names = watchedNames({ kinds: ['WEIGHT'], patterns: ['Default/l*/Log-*'], nodes: ['x'] }, all)
  expect([...names]).toEqual(['fc.weight', 'Default/loss/Log-op3', 'x'])
})

it('marks boxes by what matters most, closed ones for what is inside', () => {
  const boxes = markedBoxes(markedNames(live, all), places)
  expect(Object.fromEntries(boxes)).toEqual({
    '0': 'standing',
    '1': 'producer',
    '1.1': 'producer',
    '1.2': 'hit',
    '1.0': 'abnormal',
  })
  const colourOf = colouring(boxes)
  expect([colourOf('', 0), colourOf('1', 0), colourOf('1', 7)]).toEqual(['var(--accent)', 'var(--warn)', null])
})

it('leaves out what belongs to another step', () => {
  const names = markedNames({ ...live, standing: null, step: 813 }, all)
  expect([names.standing.size, names.producer.size, names.hit.size]).toEqual([0, 0, 0])
  expect(names.watched.has('fc.weight')).toBe(true)
})
