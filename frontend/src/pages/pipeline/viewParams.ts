/** The state of the page in the address: the run, a file of MindSpore's profiler, the span, the chosen operator. */
import { textParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import type { Span } from './source'

export const SPANS = ['recent', 'whole'] as const

/** Without one, a running training shows its last seconds and another one all of it. */
export const spanParam: QueryParam<Span | null> = {
  default: null,
  parse: (text) => SPANS.find((one) => one === text),
  format: (span) => span,
  chosen: true,
}

export const operatorParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined),
  format: (number) => (number === null ? null : String(number)),
}

export const useViewParams = () => ({
  run: useQueryParam('run', textParam),
  file: useQueryParam('file', textParam),
  span: useQueryParam('time', spanParam),
  operator: useQueryParam('operator', operatorParam),
})
