import { beforeEach, describe, expect, it } from 'vitest'

import { ViewHistory } from './history'

let now = 0
let history: ViewHistory
beforeEach(() => {
  now = 10_000
  history = new ViewHistory(() => now)
})
const record = (name: string, before: string | null, after: string | null, wait = 5000, page = 'scalars'): void => {
  now += wait
  history.record(page, name, { before, after }, () => `${name} ${after}`)
}
const words = (edit = history.undoable('scalars')): string | undefined => edit?.say((key) => key)

describe('the history of a page', () => {
  it('gives back what every parameter had, newest first, and does it again', () => {
    record('smooth', null, '0.9')
    record('x', null, 'wall')
    expect(words()).toBe('x wall')
    expect(history.undo('scalars')?.changes.get('x')).toEqual({ before: null, after: 'wall' })
    expect(history.undo('scalars')?.changes.get('smooth')).toEqual({ before: null, after: '0.9' })
    expect(history.undo('scalars')).toBeNull()
    expect(words(history.redo('scalars')!)).toBe('smooth 0.9')
    expect(history.redoable('scalars')).not.toBeNull()
  })

  it('is of that page alone', () => {
    record('smooth', null, '0.9')
    expect(history.undoable('images')).toBeNull()
  })

  it('takes rapid changes of one parameter as one', () => {
    record('smooth', '0.6', '0.61')
    for (let at = 2; at < 30; at++) record('smooth', `0.${59 + at}`, `0.${60 + at}`, 50)
    expect(history.undo('scalars')?.changes.get('smooth')).toEqual({ before: '0.6', after: '0.89' })
    expect(history.undo('scalars')).toBeNull()
  })

  it('tells slow changes of one parameter apart', () => {
    record('smooth', '0.6', '0.7')
    record('smooth', '0.7', '0.8')
    expect(history.undo('scalars')?.changes.get('smooth')?.before).toBe('0.7')
    expect(history.undoable('scalars')).not.toBeNull()
  })

  it('forgets a change that came back to where it began', () => {
    record('tag', null, 'l')
    record('tag', 'l', null, 100)
    expect(history.undoable('scalars')).toBeNull()
  })

  it('keeps together what one act changed, in the words of its first change', () => {
    record('x', null, 'wall')
    record('range', '1~2', null, 4)
    expect(words()).toBe('x wall')
    expect([...history.undo('scalars')!.changes.keys()]).toEqual(['x', 'range'])
  })

  it('takes a walk of the cursor as one change, however slow', () => {
    record('at', null, '100')
    record('at', '100', '90')
    record('at', '90', '80')
    expect(history.undo('scalars')?.changes.get('at')).toEqual({ before: null, after: '80' })
  })

  it('loses what was undone once something else is changed', () => {
    record('smooth', null, '0.9')
    history.undo('scalars')
    record('x', null, 'wall')
    expect(history.redoable('scalars')).toBeNull()
  })

  it('does not take the answer of a page to an undone change for a change', () => {
    record('range', null, '1~2')
    history.undo('scalars')
    record('range', null, '1~2.001', 20)
    expect(history.undoable('scalars')).toBeNull()
    expect(history.redoable('scalars')).not.toBeNull()
  })

  it('has an end', () => {
    for (let at = 0; at < 300; at++) record('smooth', `${at}`, `${at + 1}`)
    let undone = 0
    while (history.undo('scalars')) undone++
    expect(undone).toBe(100)
  })
})
