/**
 * Which elements half-precision numbers cannot hold: closer to zero than the smallest normal number, or beyond the
 * largest one. Buckets tell only bounds: a bucket across the border may have its elements on either side, and zeros are
 * no loss. Pure.
 */
import { zeroBucket, type Histogram } from './histogram'

export const FORMATS = ['fp16', 'bf16', 'none'] as const
export type Format = (typeof FORMATS)[number]

export interface Limits {
  /** The smallest normal number and the largest one. */
  smallest: number
  largest: number
}

export const LIMITS: Record<Exclude<Format, 'none'>, Limits> = {
  fp16: { smallest: 2 ** -14, largest: 65_504 },
  bf16: { smallest: 2 ** -126, largest: (2 - 2 ** -7) * 2 ** 127 },
}

/** Shares of the finite elements, at least and at most. */
export interface Bounds {
  least: number
  most: number
}

export interface Outside {
  under: Bounds
  over: Bounds
}

export function outside(of: Histogram, { smallest, largest }: Limits): Outside {
  const found = { under: { least: 0, most: 0 }, over: { least: 0, most: 0 } }
  if (!of.finite) return found
  const zero = zeroBucket(of)
  of.count.forEach((count, at) => {
    if (!count) return
    const [low, high, share] = [of.left[at], of.left[at] + of.width[at], count / of.finite]
    if (low < smallest && high > -smallest && !(at === zero && of.width[at] === 0)) {
      found.under.most += share
      if (at !== zero && low > -smallest && high < smallest) found.under.least += share
    }
    if (high > largest || low < -largest) {
      found.over.most += share
      if (low > largest || high < -largest) found.over.least += share
    }
  })
  return found
}
