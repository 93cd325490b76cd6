import { beforeEach, describe, expect, it, vi } from 'vitest'

import { Redraw, type Drawable } from './redraw'

type Notify = (entries: { target: Element; isIntersecting: boolean }[]) => void

let notify: Notify
let frame: (() => void) | null
let clock = 0

beforeEach(() => {
  frame = null
  clock = 0
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(callback: Notify) {
        notify = callback
      }
      observe(): void {
        /* the test says what is seen */
      }
      unobserve(): void {
        /* the test says what is seen */
      }
    },
  )
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => ((frame = callback), 1))
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})

function chart(cost = 0): Drawable & { drawn: number } {
  const made = {
    host: document.createElement('div'),
    drawn: 0,
    draw: () => {
      made.drawn++
      clock += cost
    },
  }
  return made
}
const see = (one: Drawable, isIntersecting = true): void => notify([{ target: one.host, isIntersecting }])
function tick(): void {
  const run = frame
  frame = null
  run?.()
}

describe('charts', () => {
  it('draw once per frame, however often they change', () => {
    const redraw = new Redraw()
    const one = chart()
    redraw.add(one)
    see(one)
    for (let turn = 0; turn < 5; turn++) redraw.request(one)
    tick()
    expect(one.drawn).toBe(1)
    expect(frame).toBeNull()
  })

  it('out of view draw when they come into view', () => {
    const redraw = new Redraw()
    const one = chart()
    redraw.add(one)
    redraw.request(one)
    expect(frame).toBeNull()
    see(one)
    tick()
    see(one, false)
    redraw.request(one)
    expect(frame).toBeNull()
    expect(one.drawn).toBe(1)
  })

  it('that are slow share the work over frames', () => {
    const redraw = new Redraw()
    const all = [chart(5), chart(5), chart(5)]
    for (const one of all) {
      redraw.add(one)
      see(one)
      redraw.request(one)
    }
    tick()
    expect(all.map((one) => one.drawn)).toEqual([1, 1, 0])
    tick()
    expect(all.map((one) => one.drawn)).toEqual([1, 1, 1])
  })

  it('that were drawn before have more of a frame', () => {
    const redraw = new Redraw()
    const all = [chart(5), chart(5), chart(5), chart(5)]
    for (const one of all) {
      redraw.add(one)
      see(one)
    }
    for (let turn = 0; turn < 2; turn++) {
      for (const one of all) redraw.request(one)
      while (turn === 0 && frame) tick()
    }
    tick()
    expect(all.map((one) => one.drawn)).toEqual([2, 2, 2, 1])
  })

  it('that are gone never draw', () => {
    const redraw = new Redraw()
    const one = chart()
    redraw.add(one)
    see(one)
    redraw.request(one)
    redraw.remove(one)
    tick()
    expect(one.drawn).toBe(0)
  })
})
