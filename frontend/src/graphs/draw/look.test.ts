import { describe, expect, it } from 'vitest'

import { boxOf } from '../scene/made'
import { edgeColour } from './look'

describe('the colour of a box', () => {
  const colourOf = (container: string, index: number): string => `${container}/${index}`
  const drawn = {
    path: '',
    box: boxOf(7, 'one', 'Layer'),
    depth: 0,
    instance: null,
    open: false,
    differs: false,
    x: 0,
    y: 0,
    width: 1,
    height: 1,
  }
  it('is that of its place in the container', () => {
    expect(edgeColour({ ...drawn, container: '2.0#3', of: null }, { colourOf })).toBe('2.0#3/7')
  })
  it('is that of the stack for its occurrences', () => {
    expect(edgeColour({ ...drawn, container: '2.0#3.5', of: 7 }, { colourOf })).toBe('2.0#3/5')
    expect(edgeColour({ ...drawn, container: '4', of: 7 }, { colourOf })).toBe('/4')
  })
})
