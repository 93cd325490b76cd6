/** Runs before every test file: a warning of Vue is a defect, so it fails the test that caused it. */
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest'

const warnings: string[] = []

beforeEach(() => {
  warnings.length = 0
  localStorage.clear()
  vi.spyOn(console, 'warn').mockImplementation((...parts: unknown[]) => {
    warnings.push(parts.map(String).join(' '))
  })
})

afterEach(() => {
  const vueWarnings = warnings.filter((text) => text.includes('[Vue') || text.includes('[intlify]'))
  expect(vueWarnings).toEqual([])
})

// Files that share a window begin with modules of their own.
afterAll(() => {
  vi.resetModules()
})
