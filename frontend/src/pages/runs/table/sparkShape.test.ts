import { describe, expect, it } from 'vitest'

import { sparkShape } from './sparkShape'

const shape = (y: number[]) =>
  sparkShape(
    Float64Array.from(y, (_, index) => index),
    Float64Array.from(y),
    80,
    20,
  )

describe('sparkShape', () => {
  it('draws from the left edge to the room for the sign', () => {
    expect(shape([0, 1]).path).toBe('M1.0 18.0L75.0 2.0')
  })

  it('lifts the pen where there is no number', () => {
    expect(shape([0, NaN, 1]).path.match(/M/g)).toHaveLength(2)
  })

  it('says that the newest value is no number and where the line ended', () => {
    const broken = shape([1, 0, NaN])
    expect(broken.broken).toBe(true)
    expect(broken.end?.x).toBe(38)
  })

  it('draws a constant in the middle', () => {
    expect(shape([5, 5]).end?.y).toBe(10)
  })

  it('draws orders of magnitude by their logarithm', () => {
    expect(shape([100, 10, 1]).path).toBe('M1.0 2.0L38.0 10.0L75.0 18.0')
  })

  it.each([[[]], [[NaN]], [[Infinity, NaN]]])('draws nothing for %j', (values) => {
    expect(shape(values).path).toBe('')
  })
})
