import { describe, expect, it } from 'vitest'

import { decodeFrames, FrameError } from './frames'
import { encodeFrame, joined } from './testing/frames'

describe('decodeFrames', () => {
  it('reads every column and the header', () => {
    const [frame] = decodeFrames(
      encodeFrame({
        series: 9,
        run: 4,
        first: 5,
        end: 8,
        step: [5, 6, 9],
        wall: [1, 2, 3.5],
        value: [0.5, NaN, -Infinity],
      }),
    )
    expect(frame).toMatchObject({
      kind: 'points',
      series: 9,
      run: 4,
      first: 5,
      end: 8,
      count: 3,
      stored: 1795227714.25,
    })
    expect([...frame.step]).toEqual([5, 6, 9])
    expect([...frame.wall]).toEqual([1, 2, 3.5])
    expect([...frame.value]).toEqual([0.5, NaN, -Infinity])
  })

  it.each([1, 2, 3] as const)('reads value type %i', (dtype) => {
    const [frame] = decodeFrames(encodeFrame({ dtype, value: [-3, 0, 7] }))
    expect([...frame.value]).toEqual([-3, 0, 7])
  })

  it('reads steps beyond 32 bits and below zero', () => {
    const step = [-5, -1, 2 ** 32, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER]
    const [frame] = decodeFrames(encodeFrame({ step, value: step.map(() => 0) }))
    expect([...frame.step]).toEqual(step)
  })

  it('does not copy wall times and floats', () => {
    const message = encodeFrame({ value: [1, 2] })
    const [frame] = decodeFrames(message)
    expect(frame.wall.buffer).toBe(message)
    expect(frame.value.buffer).toBe(message)
  })

  it('reads several frames, whatever padding lies between', () => {
    const frames = decodeFrames(
      joined(
        encodeFrame({ series: 1, value: [1] }),
        encodeFrame({ series: 2, value: [] }),
        encodeFrame({ series: 3, value: [1, 2, 3] }),
      ),
    )
    expect(frames.map((frame) => [frame.series, frame.count])).toEqual([
      [1, 1],
      [2, 0],
      [3, 3],
    ])
  })

  it('reads an envelope, which has fewer rows than points', () => {
    const [frame] = decodeFrames(encodeFrame({ kind: 2, first: 0, end: 1000, step: [0, 999], value: [1, 2] }))
    expect(frame).toMatchObject({ kind: 'envelope', count: 2, end: 1000 })
  })

  it('skips unknown versions and kinds', () => {
    const later = new ArrayBuffer(40 + 16)
    new DataView(later).setUint8(0, 1)
    new DataView(later).setUint8(1, 77)
    new DataView(later).setUint32(12, 11, true)
    const frames = decodeFrames(
      joined(encodeFrame({ version: 2, value: [1, 2] }), later, encodeFrame({ series: 5, value: [1] })),
    )
    expect(frames.map((frame) => frame.series)).toEqual([5])
  })

  it('skips statistics of pixel columns, eleven numbers a row', () => {
    const buckets = new ArrayBuffer(40 + 3 * 88)
    new DataView(buckets).setUint8(0, 1)
    new DataView(buckets).setUint8(1, 3)
    new DataView(buckets).setUint8(2, 2)
    new DataView(buckets).setUint32(12, 3, true)
    expect(decodeFrames(joined(buckets, encodeFrame({ series: 5, value: [1] }))).map((frame) => frame.series)).toEqual([
      5,
    ])
  })

  it('names the place of every cut', () => {
    const whole = encodeFrame({ value: [1, 2, 3] })
    for (let size = 1; size < 40 + 3 * 20; size++) {
      expect(() => decodeFrames(whole.slice(0, size))).toThrow(FrameError)
    }
    expect(() => decodeFrames(joined(whole, whole.slice(0, 50)))).toThrow(/at byte 104 of the message/)
  })

  it('refuses counts that cannot be', () => {
    const huge = encodeFrame({ value: [1] })
    new DataView(huge).setUint32(12, 0xffffffff, true)
    expect(() => decodeFrames(huge)).toThrow(/announces/)
    expect(() => decodeFrames(encodeFrame({ first: 0, end: 9, value: [1] }))).toThrow(/covers 9 indices/)
    const odd = encodeFrame({ value: [1] })
    new DataView(odd).setUint8(2, 9)
    expect(() => decodeFrames(odd)).toThrow(/value type 9/)
  })

  it('reads an empty message as no frames', () => {
    expect(decodeFrames(new ArrayBuffer(0))).toEqual([])
  })
})
