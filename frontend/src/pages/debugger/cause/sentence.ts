/**
 * The sentence of the cause card, from the verdict and what was measured at the producer: which words, and what stands in them.
 * Pure; the words are in the texts.
 */
import type { Cause, Link, Statistics } from '../data/messages'
import { badOf } from '../nodes/health'

export const VERDICTS = ['log_of_zero', 'overflow', 'division_by_zero', 'not_finite_input', 'exploding_update'] as const

export interface Said {
  /** Key of the sentence. */
  verdict: (typeof VERDICTS)[number] | 'unknown' | 'none'
  op: string
  /** The tensor whose elements were at fault: what the producer read. */
  from: string
  /** How many elements, of how many; null where none is counted. */
  bad: { n: number; of: number } | null
  /** The largest absolute value that came in. */
  largest: number
  dtype: string
  result: 'NaN' | 'Inf' | '−Inf' | ''
}

/** `Log` for an operator, `fc.weight` for a parameter. */
export const shortName = ({ tensor, type }: Pick<Link, 'tensor' | 'type'>): string => (type === 'Parameter' || !type ? (tensor.full_name.split('/').at(-1) ?? '') : type)

export function resultOf(output: Statistics | null): Said['result'] {
  if (!output) return ''
  return output.nans > 0 ? 'NaN' : output.pos_infs > 0 ? 'Inf' : output.neg_infs > 0 ? '−Inf' : ''
}

const largestOf = ({ min, max }: Statistics): number => Math.max(Math.abs(min), Math.abs(max))
const lastPart = (name: string): string => name.split('/').at(-1)?.replace(/-op\d+$/, '') ?? name

export function saidOf({ producer, verdict, facts }: Cause): Said {
  const known = VERDICTS.find((one) => one === verdict) ?? 'unknown'
  if (!producer) return { verdict: 'none', op: '', from: '', bad: null, largest: NaN, dtype: '', result: '' }
  const inputs = producer.inputs
  // A divisor comes second; elsewhere the input with what is wrong speaks.
  const culprit = known === 'division_by_zero' ? (inputs[1] ?? inputs[0]) : (inputs.find(({ zeros }) => zeros > 0) ?? inputs[0])
  const largest = inputs.reduce((most, one) => Math.max(most, largestOf(one)), 0)
  const counted = known === 'not_finite_input' ? producer.output : culprit
  const n = known === 'not_finite_input' ? (producer.output ? badOf(producer.output) : 0) : known === 'log_of_zero' || known === 'division_by_zero' ? (culprit?.zeros ?? 0) : 0
  return {
    verdict: known, op: shortName(producer), from: facts['from'] ?? (culprit ? lastPart(culprit.tensor.full_name) : ''), bad: counted && n > 0 ? { n, of: counted.count } : null, largest,
    dtype: producer.output?.dtype ?? '', result: resultOf(producer.output),
  }
}
