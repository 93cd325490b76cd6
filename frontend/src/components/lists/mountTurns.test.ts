import { flushPromises } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { MountTurns, type InView } from './mountTurns'

let clock = 0
let frame: ((now: number) => void) | null
let view: InView
let mounted: string[]
let turns: MountTurns

beforeEach(() => {
  clock = 0
  frame = null
  view = { top: 0, height: 800 }
  mounted = []
  vi.stubGlobal('requestAnimationFrame', (callback: (now: number) => void) => ((frame = callback), 1))
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
  turns = new MountTurns(() => view)
  turns.shown()
})

function card(name: string, top: number, cost = 1): () => void {
  return turns.wait({ top, height: 250, mount: () => (mounted.push(name), (clock += cost)) })
}
/** Lets one frame of the screen pass. */
async function tick(): Promise<void> {
  clock += 16
  const run = frame
  frame = null
  run?.(clock)
  await flushPromises()
}

describe('turns of cards', () => {
  it('mount those in view first, in their order, then what lies next to it', async () => {
    card('far below', 1400)
    card('above', -300)
    card('first', 0)
    card('second', 250)
    await tick()
    expect(mounted).toEqual(['first', 'second', 'above', 'far below'])
  })

  it('take no more of a frame than it has; the rest follows in the next ones', async () => {
    for (const name of ['a', 'b', 'c']) card(name, 0, 6)
    await tick()
    expect(mounted).toEqual(['a', 'b'])
    await tick()
    expect(mounted).toEqual(['a', 'b', 'c'])
    expect(frame).toBeNull()
  })

  it('wait while the page flies by, and go on where it comes to rest', async () => {
    card('start', 0)
    await tick()
    view = { top: 4000, height: 800 }
    card('passed', 4000)
    await tick()
    expect(mounted).toEqual(['start'])
    view = { top: 4040, height: 800 }
    await tick()
    expect(mounted).toEqual(['start', 'passed'])
  })

  it('leave the first card time to show something', async () => {
    turns = new MountTurns(() => view)
    expect([turns.first(), turns.first()]).toEqual([true, false])
    card('b', 0)
    await tick()
    await tick()
    expect(mounted).toEqual([])
    turns.shown()
    await tick()
    expect(mounted).toEqual(['b'])
  })

  it('go on when the first card shows nothing for long', async () => {
    turns = new MountTurns(() => view)
    expect([turns.first(), turns.first()]).toEqual([true, false])
    card('b', 0)
    await tick()
    clock += 1000
    await tick()
    expect(mounted).toEqual(['b'])
  })

  it('are given up by who has left', async () => {
    const giveUp = card('gone', 0)
    card('here', 0)
    giveUp()
    await tick()
    expect(mounted).toEqual(['here'])
  })
})
