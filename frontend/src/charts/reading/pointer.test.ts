import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { listenToPointer, selectionOf, type PointerActions } from './pointer'

describe('a drag', () => {
  it('along one axis selects a range of it, across both a box', () => {
    expect(selectionOf({ x: 50, y: 20 }, { x: 10, y: 25 })).toEqual({ x: [10, 50], y: null })
    expect(selectionOf({ x: 50, y: 20 }, { x: 55, y: 90 })).toEqual({ x: null, y: [20, 90] })
    expect(selectionOf({ x: 50, y: 90 }, { x: 10, y: 20 })).toEqual({ x: [10, 50], y: [20, 90] })
  })
})

describe('the pointer', () => {
  let element: HTMLElement
  let said: unknown[]
  let end: () => void

  beforeEach(() => {
    element = document.createElement('div')
    element.getBoundingClientRect = () => new DOMRect(0, 0, 200, 100)
    document.body.append(element)
    said = []
    const tell =
      (name: string) =>
      (...values: unknown[]) =>
        void said.push([name, ...values])
    const actions: PointerActions = {
      hover: () => undefined,
      selecting: tell('selecting'),
      selected: tell('selected'),
      pan: tell('pan'),
      wheel: tell('wheel'),
      click: tell('click'),
      reset: tell('reset'),
    }
    end = listenToPointer(element, actions)
  })
  afterEach(() => {
    end()
    element.remove()
  })
  function fire(type: string, x: number, y: number, more: object = {}): void {
    const event = new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, cancelable: true, ...more })
    Object.defineProperty(event, 'isPrimary', { value: true })
    element.dispatchEvent(event)
  }

  it('clicks without moving, selects by dragging', () => {
    fire('pointerdown', 20, 20)
    fire('pointerup', 21, 20)
    fire('pointerdown', 20, 20)
    fire('pointermove', 80, 22)
    fire('pointerup', 90, 22)
    expect(said).toEqual([
      ['click', { x: 21, y: 20 }],
      ['selecting', { x: [20, 80], y: null }],
      ['selecting', null],
      ['selected', { x: [20, 90], y: null }],
    ])
  })

  it.each([{ shiftKey: true }, { button: 1 }])('pans with %j', (held) => {
    fire('pointerdown', 20, 20, held)
    fire('pointermove', 30, 22)
    fire('pointermove', 35, 22)
    fire('pointerup', 35, 22)
    expect(said).toEqual([
      ['pan', { x: 10, y: 2 }, true],
      ['pan', { x: 5, y: 0 }, false],
    ])
  })

  it('zooms by the wheel only with a key, so that the page scrolls', () => {
    const wheel = (ctrlKey: boolean): boolean => {
      const event = new MouseEvent('wheel', { clientX: 50, ctrlKey, cancelable: true })
      Object.defineProperty(event, 'deltaY', { value: -100 })
      return element.dispatchEvent(event)
    }
    expect([wheel(false), wheel(true)]).toEqual([true, false])
    expect(said).toEqual([['wheel', expect.closeTo(1.2214, 3), 50]])
  })

  it('gives a drag up by Escape', () => {
    fire('pointerdown', 20, 20)
    fire('pointermove', 80, 22)
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
    fire('pointerup', 90, 22)
    expect(said.at(-1)).toEqual(['selecting', null])
    vi.restoreAllMocks()
  })
})
