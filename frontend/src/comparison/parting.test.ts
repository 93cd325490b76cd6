import { describe, expect, it } from 'vitest'

import { partingStep, type Points } from './parting'

const COUNT = 400
/** A falling curve with noise that repeats from run to run. */
function curve(of: (step: number) => number, seed: number, noise = 0.02, every = 1): Points {
  const step = Array.from({ length: COUNT / every }, (_, at) => at * every)
  const noisy = (at: number): number => ((((at + 1) * 7919 * seed) % 1000) / 1000 - 0.5) * 2 * noise
  return { length: step.length, step, value: step.map((at) => of(at) + noisy(at)) }
}
const falling = (step: number): number => 2 * Math.exp(-step / 100)

describe('where curves part', () => {
  it('is the step from which on they differ by more than their noise', () => {
    const other = curve((step) => falling(step) + Math.max(0, step - 200) / 100, 13)
    const found = partingStep(curve(falling, 7), other)
    expect(found).toBeGreaterThan(200)
    expect(found).toBeLessThan(215)
    expect(
      Math.abs(
        (partingStep(
          curve(falling, 7),
          curve((s) => other.value[s], 1, 0, 5),
        ) ?? 0) - 205,
      ),
    ).toBeLessThan(15)
  })

  it('is where one of them explodes, however large its jumps are', () => {
    const exploding = (step: number): number => (step < 50 ? falling(step) : step < 58 ? 10 ** (step - 50) : 2.3)
    const found = partingStep(curve(falling, 7), curve(exploding, 13))
    expect(found).toBeGreaterThanOrEqual(50)
    expect(found).toBeLessThan(54)
  })

  it('is nowhere where they come together again, or only noise differs', () => {
    const bump = (step: number): number => falling(step) + (step > 100 && step < 150 ? 1 : 0)
    expect(partingStep(curve(falling, 7), curve(bump, 13))).toBeNull()
    expect(partingStep(curve(falling, 7), curve(falling, 13))).toBeNull()
  })

  it('is not told of a few points, and skips what is not finite', () => {
    expect(partingStep({ length: 2, step: [0, 1], value: [1, 2] }, curve(falling, 3))).toBeNull()
    const odd = curve((step) => (step === 50 ? NaN : falling(step)), 7)
    expect(
      partingStep(
        odd,
        curve((step) => falling(step) + 1, 13),
      ),
    ).toBe(0)
  })
})
