/**
 * What a training tells, as the dashboard passes it on: `summaries/schema/debugger.proto` in protobuf's JSON. Types
 * follow from the shapes.
 */
import { flag, list, maybe, message, number, table, text, word, type Of } from './wire'

export const KINDS = ['OTHER', 'WEIGHT', 'GRADIENT', 'ACTIVATION', 'INPUT', 'STATE'] as const
export type Kind = (typeof KINDS)[number]
const kind = word(...KINDS)

export const tensorName = message({ full_name: text, slot: number, iteration: number })
export type TensorName = Of<typeof tensorName>

const line = message({ file: number, line: number, function: text })
export type Line = Of<typeof line>

const node = message({
  full_name: text,
  type: text,
  kind,
  outputs: list(message({ dtype: text, shape: list(number) })),
  inputs: list(tensorName),
  line: maybe(line),
  attributes: table,
  callers: list(line),
})
export type Node = Of<typeof node>

export const program = message({ digest: text, nodes: list(node), files: list(text), libraries: list(number) })
export type Program = Of<typeof program>

const lease = message({ left: number, length: number, held: flag, at_end: text })
export type Lease = Of<typeof lease>
const learningRate = message({ name: text, value: number, can_change: flag })
export type LearningRate = Of<typeof learningRate>

export const state = message({
  status: word('STARTING', 'RUNNING', 'PAUSED', 'ENDED'),
  reason: text,
  step: number,
  epoch: number,
  steps_per_epoch: number,
  steps: number,
  mode: text,
  within_step: flag,
  node: maybe(tensorName),
  node_number: number,
  nodes: number,
  stack: list(line),
  loss: number,
  learning_rates: list(learningRate),
  steps_per_second: number,
  lease: maybe(lease),
  can_run_again: flag,
  cannot_run_again: text,
  has_current: flag,
  has_previous: flag,
  kept_bytes: number,
  files: list(text),
  libraries: list(number),
})
export type State = Of<typeof state>

const setting = message({ name: text, value: number, enabled: flag })
export type Setting = Of<typeof setting>
const targets = message({ kinds: list(kind), patterns: list(text), nodes: list(text) })
export type Targets = Of<typeof targets>
const watchpoint = message({
  id: number,
  condition: text,
  expression: text,
  settings: list(setting),
  targets,
  enabled: flag,
  log_only: flag,
})
export type Watchpoint = Of<typeof watchpoint>

const watched = message({
  watchpoint,
  tensors: number,
  steps: number,
  checks: number,
  hits: number,
  last_hit_step: number,
  cost: number,
  recommended: flag,
  problem: text,
})
export type Watched = Of<typeof watched>
export const watching = message({ watched: list(watched), cost: number, cost_known: flag })
export type Watching = Of<typeof watching>

const statistics = message({
  tensor: tensorName,
  dtype: text,
  shape: list(number),
  count: number,
  min: number,
  max: number,
  mean: number,
  std: number,
  abs_mean: number,
  zeros: number,
  nans: number,
  pos_infs: number,
  neg_infs: number,
  l2: number,
  negative: number,
  positive: number,
  min_at: number,
  max_at: number,
  bad_at: number,
  abs_min: number,
})
export type Statistics = Of<typeof statistics>

const measured = message({ name: text, set: number, actual: number, hit: flag })
export type Measured = Of<typeof measured>
const hit = message({
  watchpoint: number,
  tensor: tensorName,
  kind,
  order: number,
  measured: list(measured),
  line: maybe(line),
  passes_on: flag,
  advice: text,
  statistics: maybe(statistics),
})
export type Hit = Of<typeof hit>
export const hits = message({ step: number, hits: list(hit), replace: flag, left_out: number })
export type Hits = Of<typeof hits>
export const log = message({ step: number, hits: list(hit) })

const link = message({
  tensor: tensorName,
  type: text,
  role: word('FINITE', 'ABNORMAL', 'PRODUCER', 'PASSES_ON', 'LOSS'),
  output: maybe(statistics),
  inputs: list(statistics),
  line: maybe(line),
  attributes: table,
})
export type Link = Of<typeof link>
const history = message({
  tensor: tensorName,
  statistic: text,
  steps: list(number),
  values: list(number),
  usual_low: number,
  usual_high: number,
  left_at: number,
  logarithmic: flag,
})
export type History = Of<typeof history>
export const cause = message({
  step: number,
  milliseconds: number,
  producer: maybe(link),
  chain: list(link),
  verdict: text,
  facts: table,
  advice: list(text),
  history: maybe(history),
  ran_again: flag,
  problem: text,
  propagators: number,
})
export type Cause = Of<typeof cause>

const difference = message({
  tensor: tensorName,
  type: text,
  order: number,
  max_abs: number,
  max_rel: number,
  same: flag,
  line: maybe(line),
})
export type Difference = Of<typeof difference>
export const divergence = message({
  step: number,
  first_mode: text,
  second_mode: text,
  differences: list(difference),
  only_first: number,
  only_second: number,
  first: maybe(tensorName),
  bound: number,
})
export type Divergence = Of<typeof divergence>

export const bye = message({ reason: text, message: text })
export type Bye = Of<typeof bye>

export const reply = message({
  id: text,
  ok: flag,
  problem: text,
  message: text,
  at: number,
  statistics: list(statistics),
  blob: number,
  recommended: list(watched),
  text,
})
export type Reply = Of<typeof reply>

/** `fc/MatMul-op3:0`, with the iteration if it is not the first. */
export const nameOf = ({ full_name, slot, iteration }: TensorName): string =>
  `${full_name}:${slot}${iteration ? `#${iteration}` : ''}`
/** The displayed name: most operators have one output, which needs no number. */
export const readable = (name: string): string => name.replace(/:0(?=#|$)/, '')
export const sameTensor = (a: TensorName, b: TensorName): boolean =>
  a.full_name === b.full_name && a.slot === b.slot && a.iteration === b.iteration
