import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { decodeFrames, type Frame } from '../../data/frames'
import { HeldSeries } from '../../data/series/seriesStore'
import { encodeFrame, type FrameInput } from '../../data/testing/frames'
import { LensHold, REFRESH_EVERY, ZOOM_AFTER, type Lens, type LensQuery } from './lensViews'
import { NO_SMOOTHING } from '../view'

const over: Lens = { x: 'relative', scale: 'linear', linear: 1, smoothing: NO_SMOOTHING }
const frame = (input: FrameInput): Frame => decodeFrames(encodeFrame({ dtype: 2, ...input }))[0]

describe('views through a lens', () => {
  let asked: LensQuery[]
  let answer: Frame
  let held: HeldSeries
  let changes: number
  let hold: LensHold

  beforeEach(() => {
    vi.useFakeTimers()
    asked = []
    answer = frame({ kind: 2, value: [1, 9], step: [0, 99], end: 100 })
    held = new HeldSeries(7)
    held.full.replace(answer, 600)
    changes = 0
    hold = new LensHold(
      (_, query) => (asked.push(query), Promise.resolve(answer)),
      () => void changes++,
    )
  })
  afterEach(() => {
    hold.release()
    vi.useRealTimers()
  })
  const settle = (): Promise<void> => vi.advanceTimersByTimeAsync(1).then(() => undefined)

  it('are asked for once, and there until another axis is wanted', async () => {
    hold.update(held, over, null, 600)
    hold.update(held, over, null, 600)
    await settle()
    expect([asked.length, changes, hold.whole?.length]).toEqual([1, 1, 2])
    hold.update(held, { ...over, scale: 'log' }, null, 600)
    expect(hold.whole).toBeNull()
    expect(asked).toHaveLength(2)
  })

  it('stay while another smoothing is fetched', async () => {
    hold.update(held, over, null, 600)
    await settle()
    hold.update(held, { ...over, smoothing: { kind: 'mean', amount: 0.9 } }, null, 600)
    expect(hold.whole).not.toBeNull()
    expect(asked.at(-1)?.lens.smoothing.kind).toBe('mean')
  })

  it('take in live points at once, and are fetched again now and then', async () => {
    hold.update(held, over, null, 600)
    await settle()
    held.full.append(frame({ first: 100, value: [3, 4], step: [100, 101] }))
    hold.update(held, over, null, 600)
    expect([hold.whole?.length, asked.length]).toEqual([4, 1])
    await vi.advanceTimersByTimeAsync(REFRESH_EVERY)
    hold.update(held, over, null, 600)
    expect(asked).toHaveLength(2)
  })

  it('of a zoomed range are asked for when it rests', async () => {
    hold.update(held, over, null, 600)
    for (let turn = 1; turn < 5; turn++) hold.update(held, over, { min: 0, max: turn }, 600)
    await vi.advanceTimersByTimeAsync(ZOOM_AFTER + 1)
    expect(asked.map(({ range }) => range)).toEqual([null, { min: 0, max: 4 }])
    expect(hold.fine?.length).toBe(2)
    hold.update(held, over, null, 600)
    expect(hold.fine).toBeNull()
  })
})
