/** The state of the page in the address: filters, form, the open text and its comparison. */
import { choiceParam, textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'

export const FORMS = ['markdown', 'raw'] as const
export type Form = (typeof FORMS)[number]

/** A text by the beginning of its run's id and its tag; the step cursor selects the step. */
export interface Pick {
  run: string
  tag: string
}

/** The text compared with the open one: the previous one, one of another step, or another run's. */
export type Against = { kind: 'previous' } | { kind: 'step'; step: number } | { kind: 'run'; run: string }

export const pickParam: QueryParam<Pick | null> = {
  default: null,
  parse(text) {
    const [, run, tag] = /^([^~]+)~(.+)$/s.exec(text) ?? []
    return run && tag ? { run, tag } : undefined
  },
  format: (pick) => pick && `${pick.run}~${pick.tag}`,
}

export const againstParam: QueryParam<Against | null> = {
  default: null,
  parse(text) {
    if (text === 'previous') return { kind: 'previous' }
    const [, kind, value] = /^(step|run)~(.+)$/.exec(text) ?? []
    if (kind === 'run') return { kind, run: value }
    return kind === 'step' && /^-?\d{1,15}$/.test(value) ? { kind, step: Number(value) } : undefined
  },
  format(against) {
    if (!against) return null
    if (against.kind === 'previous') return 'previous'
    return against.kind === 'step' ? `step~${against.step}` : `run~${against.run}`
  },
}

export function useViewParams() {
  return {
    filter: useQueryParam('tag', textParam),
    words: useQueryParam('find', textParam),
    form: useQueryParam('form', choiceParam(FORMS)),
    open: useQueryParam('text', pickParam),
    against: useQueryParam('with', againstParam),
  }
}
