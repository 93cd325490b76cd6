/**
 * The sentence of the cause card, from the verdict and what was measured at the producer: which words, and what stands
 * in them. Pure; the words are in the texts.
 */
import type { Cause, Link, Statistics } from '../data/messages'

export const VERDICTS = [
  'log_of_zero',
  'log_of_negative',
  'root_of_negative',
  'division_by_zero',
  'power_outside_domain',
  'outside_domain',
  'exp_overflow',
  'float16_overflow',
  'overflow',
  'exploding_update',
  'not_finite_input',
  'not_finite_weight',
  'not_finite_constant',
  'masked_row',
  'no_label',
] as const

export interface Said {
  /** The key of the sentence. */
  verdict: (typeof VERDICTS)[number] | 'unknown' | 'none'
  op: string
  /** The tensor with the faulty elements: an input of the producer. */
  from: string
  /** The number of faulty elements, the total, and the fault; null if none is counted. */
  bad: { what: 'zeros' | 'negatives' | 'notFinite'; n: number; of: number } | null
  /** The largest absolute value of the inputs. */
  largest: number
  dtype: string
  result: 'NaN' | 'Inf' | '−Inf' | ''
  /** All that is not finite in the output of the producer. */
  kinds: readonly string[]
  /** The samples of a batch with values that are not finite: the first one, and their number. Null if unknown. */
  sample: { first: number; count: number } | null
}

/** `Log` for an operator, `fc.weight` for a parameter. */
export const shortName = ({ tensor, type }: Pick<Link, 'tensor' | 'type'>): string =>
  type === 'Parameter' || !type ? (tensor.full_name.split('/').at(-1) ?? '') : type

export function resultOf(output: Statistics | null): Said['result'] {
  if (!output) return ''
  return output.nans > 0 ? 'NaN' : output.pos_infs > 0 ? 'Inf' : output.neg_infs > 0 ? '−Inf' : ''
}

const kindsOf = (output: Statistics | null): string[] =>
  output
    ? [
        ...(output.nans > 0 ? ['NaN'] : []),
        ...(output.pos_infs > 0 ? ['Inf'] : []),
        ...(output.neg_infs > 0 ? ['−Inf'] : []),
      ]
    : []

/** The index along the leading dimension of the first value that is not finite. */
function sampleOf({ facts, producer }: Cause): Said['sample'] {
  const place = /^\[(\d+),/.exec(facts['place'] ?? '')
  const size = producer?.output?.shape[0] ?? 0
  return place && size > 1 ? { first: Number(place[1]), count: Number(facts['samples'] ?? 1) } : null
}

const largestOf = ({ min, max }: Statistics): number => Math.max(Math.abs(min), Math.abs(max))
const lastPart = (name: string): string =>
  name
    .replace(/[:#].*$/, '')
    .split('/')
    .at(-1)
    ?.replace(/-op\d+$/, '') ?? name

function badIn(facts: Cause['facts'], output: Statistics | null): Said['bad'] {
  const of = Number(facts['count'] ?? output?.count ?? 0)
  const notFinite = Number(facts['nans'] ?? 0) + Number(facts['infs'] ?? 0)
  const found = (
    [
      ['zeros', facts['zeros']],
      ['negatives', facts['negative']],
      ['notFinite', notFinite],
    ] as const
  ).find(([, n]) => Number(n ?? 0) > 0)
  return found && of > 0 ? { what: found[0], n: Number(found[1]), of } : null
}

const NOTHING: Said = {
  verdict: 'none',
  op: '',
  from: '',
  bad: null,
  largest: NaN,
  dtype: '',
  result: '',
  kinds: [],
  sample: null,
}

export function saidOf(cause: Cause): Said {
  const { producer, verdict, facts } = cause
  if (!producer) return NOTHING
  const largest = producer.inputs.reduce((most, one) => Math.max(most, largestOf(one)), 0)
  return {
    verdict: VERDICTS.find((one) => one === verdict) ?? 'unknown',
    op: producer.type === 'Input' ? lastPart(producer.tensor.full_name) : shortName(producer),
    from: lastPart(facts['weight'] ?? facts['from'] ?? facts['tensor'] ?? ''),
    bad: badIn(facts, producer.output),
    largest: Number(facts['weight_abs_max'] ?? facts['abs_max'] ?? facts['max'] ?? largest),
    dtype: producer.output?.dtype ?? '',
    result: resultOf(producer.output),
    kinds: kindsOf(producer.output),
    sample: sampleOf(cause),
  }
}
