import { describe, expect, it } from 'vitest'

import { boxOf, boxPath, containersOf, indexOf, insideOf, instanceOf, isPath, parentOf } from '../../graphs/paths'
import { closed, innermost, opened, withContainers } from './openBoxes'

describe('a path', () => {
  it('is made of numbers and instances', () => {
    expect(['', '0', '2.0#3.5', '12#11'].every(isPath)).toBe(true)
    expect(['a', '2.', '.2', '2#', '2#a', '2..3', '../x'].some(isPath)).toBe(false)
  })
  it('names its container, its stack, its instance and its number', () => {
    expect(parentOf('2.0#3.5')).toBe('2.0#3')
    expect(parentOf('2')).toBe('')
    expect(boxOf('2.0#3')).toBe('2.0')
    expect(boxOf('2.0#3.5')).toBe('2.0#3.5')
    expect(instanceOf('2.0#3')).toBe(3)
    expect(instanceOf('2.0#3.5')).toBeNull()
    expect(indexOf('2.0#3.15')).toBe(15)
    expect(indexOf('7#2')).toBe(7)
    expect(boxPath('2.0#3', 5)).toBe('2.0#3.5')
    expect(insideOf('2.0#*')).toBe('2.0')
    expect(insideOf('2.0#3')).toBe('2.0#3')
    expect(boxPath('', 5)).toBe('5')
  })
  it('has its containers from the outside in', () => {
    expect(containersOf('2.0#3.5.1')).toEqual(['2', '2.0#3', '2.0#3.5'])
    expect(containersOf('4')).toEqual([])
  })
})

describe('open containers', () => {
  it('have those around them', () => {
    expect(withContainers(['2.0#3.5'])).toEqual(['2', '2.0#3', '2.0#3.5'])
  })
  it('show one instance of a stack', () => {
    expect(withContainers(['2#0.1', '2#3.4'])).toEqual(['2#3', '2#3.4'])
  })
  it('are said by the innermost ones', () => {
    const open = withContainers(['2.0#3.5', '4', '21.1'])
    expect(innermost(open)).toEqual(['2.0#3.5', '21.1', '4'])
    expect(new Set(withContainers(innermost(open)))).toEqual(new Set(open))
  })
  it('open in place of another instance', () => {
    expect(opened(['2', '2.0#3', '2.0#3.5', '4'], '2.0#1')).toEqual(['2', '4', '2.0#1'])
    expect(opened(['2#1', '2#1.3'], '2#1')).toEqual(['2#1', '2#1.3'])
  })
  it('close with all that is in them', () => {
    expect(closed(['2', '2.0#3', '2.0#3.5', '21', '4'], '2')).toEqual(['21', '4'])
    expect(closed(['2', '2.0#3', '2.0#3.5', '21'], '2.0')).toEqual(['2', '21'])
  })
})
