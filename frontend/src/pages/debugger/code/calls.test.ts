import { beforeEach, describe, expect, it } from 'vitest'

import { giveElementsSize } from '../../../testing/layout'
import '../SessionView.vue'
import { openSession } from '../testing/dashboard'
import { CAUSE, PROGRAM, ROW, SOURCE, STATE } from '../testing/recorded'
import { callsOf, folded, ownCall, placeText } from './calls'

beforeEach(() => giveElementsSize(1200, 1200))

const lineOf = (file: number, line: number) => ({ file, line, function: 'construct' })

describe('calls', () => {
  const calls = callsOf(
    [lineOf(1, 74), null, lineOf(0, 9), lineOf(2, 50), lineOf(2, 161), lineOf(9, 1)],
    PROGRAM.files,
    [1, 2],
  )
  it('know the line of the user', () => {
    expect(calls).toHaveLength(4)
    expect(placeText(ownCall(calls))).toBe('loss.py:9')
    expect(placeText(ownCall(calls.slice(0, 1)))).toBe('basic.py:74')
    expect(placeText(ownCall([]))).toBe('')
  })
  it('are folded where they are of libraries', () => {
    expect(folded(calls).map(({ length }) => length)).toEqual([1, 1, 2])
  })
})

it('opens the line of the user, with the frames of libraries folded', async () => {
  const nodes = PROGRAM.nodes.map((node) =>
    node.full_name === 'Default/fc/MatMul-op1'
      ? { ...node, line: lineOf(1, 74), callers: [lineOf(0, 36), lineOf(2, 50), lineOf(2, 161)] }
      : node,
  )
  const page = await openSession({ state: { ...STATE, stack: [] }, program: null })
  page.server.answers[`/api/debugger/sessions/${ROW.id}/program`] = { ...PROGRAM, nodes }
  await page.say({ type: 'program', program: { digest: 'p2', nodes: 7 } })
  const producer = { ...CAUSE.producer, tensor: nodes[1], line: lineOf(1, 74) }
  await page.say({ type: 'cause', cause: { ...CAUSE, producer } })
  expect(page.wrapper.get('.say').text()).toContain('loss.py:36')
  await page.reply('read_source', { text: SOURCE })
  const card = page.wrapper.get('[aria-label="Source"]')
  expect(card.get('h2').text()).toBe('loss.py:36')
  expect(card.get('.line.producer i').text()).toBe('36')
  const calls = () => card.findAll('.calls button').map((one) => one.text())
  expect(calls()).toEqual(['one library frame', 'loss.py:36', '2 library frames'])
  await card.findAll('.calls .fold')[1].trigger('click')
  expect(calls()).toEqual(['one library frame', 'loss.py:36', 'wrap.py:50', 'wrap.py:161'])
  await card.findAll('.calls .textlink')[1].trigger('click')
  expect(page.command('read_source').command).toEqual({ read_source: { file: '/lib/site-packages/nn/wrap.py' } })
})
