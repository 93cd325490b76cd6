/** Messages of a session of a small network, as the dashboard passes them on. For tests only. */

const name = (full_name: string, slot = 0) => ({ full_name, slot, iteration: 0 })

export const ROW = {
  id: '3f9c2b7d51aa40e8',
  number: 12,
  run: '0d0c'.padEnd(32, '0'),
  run_name: 'lenet/adam',
  name: 'lenet/adam',
  host: 'box',
  pid: 4711,
  device: 'CPU',
  mode: 'graph',
  status: 'paused',
  step: 812,
  started: 1_795_227_000,
  seen: 1_795_227_900,
  connected: true,
  viewers: 1,
  controller: null,
  ended: null,
  message: '',
}

const node = (full_name: string, type: string, kind: string, line: number, inputs: string[] = []) => ({
  full_name,
  type,
  kind,
  outputs: [{ dtype: 'float32', shape: [100, 10] }],
  inputs: inputs.map((one) => name(one)),
  line: { file: 0, line, function: 'CrossEntropy.construct' },
  attributes: { axis: '-1' },
  callers: [],
})
export const PROGRAM = {
  digest: 'p1',
  files: ['/home/me/loss.py', '/lib/site-packages/nn/basic.py', '/lib/site-packages/nn/wrap.py'],
  libraries: [1, 2],
  nodes: [
    node('fc.weight', 'Parameter', 'WEIGHT', 0),
    node('Default/fc/MatMul-op1', 'MatMul', 'ACTIVATION', 36, ['fc.weight']),
    node('Default/loss/Softmax-op2', 'Softmax', 'ACTIVATION', 38, ['Default/fc/MatMul-op1']),
    node('Default/loss/Log-op3', 'Log', 'ACTIVATION', 42, ['Default/loss/Softmax-op2']),
    node('Default/loss/Mul-op4', 'Mul', 'OTHER', 43, ['Default/loss/Log-op3']),
    node('Default/loss/ReduceMean-op5', 'ReduceMean', 'OTHER', 44, ['Default/loss/Mul-op4']),
    node('Gradients/Default/fc/MatMul-op9', 'MatMul', 'GRADIENT', 0),
  ],
}

export const STATE = {
  status: 'PAUSED',
  reason: 'hit',
  step: 812,
  epoch: 3,
  steps_per_epoch: 300,
  steps: 1000,
  mode: 'graph',
  within_step: false,
  node_number: 0,
  nodes: 7,
  stack: [
    { file: 0, line: 42, function: 'CrossEntropy.construct' },
    { file: 1, line: 118, function: 'main' },
  ],
  loss: 'NaN',
  learning_rates: [{ name: 'learning_rate', value: 0.01, can_change: true }],
  steps_per_second: 31.5,
  lease: { left: 581, length: 600, held: false, at_end: 'continue' },
  can_run_again: true,
  cannot_run_again: '',
  has_current: true,
  has_previous: true,
  kept_bytes: 2_400_000,
  files: ['/home/me/loss.py', '/home/me/train.py'],
  libraries: [],
}

export const statistics = (full_name: string, changes: object = {}) => ({
  tensor: name(full_name),
  dtype: 'float32',
  shape: [100, 10],
  count: 1000,
  min: -3.5,
  max: 4.25,
  mean: 0.1,
  std: 1,
  abs_mean: 0.8,
  zeros: 0,
  nans: 0,
  pos_infs: 0,
  neg_infs: 0,
  l2: 31,
  negative: 480,
  positive: 520,
  min_at: 173,
  max_at: 4,
  bad_at: -1,
  abs_min: 1e-4,
  ...changes,
})
export const HEALTH = [
  statistics('Default/fc/MatMul-op1'),
  statistics('Default/loss/Softmax-op2', { min: 0, max: 1, mean: 0.1, zeros: 1 }),
  statistics('Default/loss/Log-op3', { min: -90.5, max: 0, neg_infs: 1, bad_at: 173 }),
  statistics('Default/loss/Mul-op4', { nans: 1, max: 0 }),
  statistics('Default/loss/ReduceMean-op5', { shape: [], count: 1, nans: 1 }),
]
export const SOURCE = [
  'import numpy',
  ...Array.from({ length: 36 }, (_, at) => `# ${at + 2}`),
  '  p = self.softmax(logits)',
  '  onehot = self.onehot(labels)',
  '',
  '',
  '  logp = self.log(p)',
  '  nll = onehot * logp',
  '  return -nll.sum(1).mean()',
].join('\n')

export const WHOLE = {
  type: 'session',
  session: ROW.id,
  row: ROW,
  hello: {},
  state: STATE,
  program: { digest: 'p1', nodes: 7 },
  graph: null,
  watching: null,
  hits: [],
  causes: [],
  divergence: null,
  log: [],
  tensors: [],
  viewers: 1,
  controller: null,
  you: 'b41f09aa',
  connected: true,
  ended: null,
}

export const REPLY = {
  type: 'reply',
  session: ROW.id,
  ok: true,
  problem: '',
  message: '',
  at: -1,
  statistics: [],
  blob: 0,
  recommended: [],
  text: '',
  tensor: null,
}

const watchpoint = (id: number, condition: string, changes: object = {}) => ({
  id,
  condition,
  expression: '',
  settings: [],
  targets: { kinds: ['ACTIVATION'], patterns: [], nodes: [] },
  enabled: true,
  log_only: false,
  ...changes,
})
const watched = (one: object, changes: object = {}) => ({
  watchpoint: one,
  tensors: 12,
  steps: 812,
  checks: 9744,
  hits: 0,
  last_hit_step: 0,
  cost: 0.02,
  recommended: false,
  problem: '',
  ...changes,
})
export const WATCHING = {
  cost: 0.041,
  cost_known: true,
  watched: [
    watched(watchpoint(1, 'tensor_overflow'), { hits: 2, last_hit_step: 812 }),
    watched(
      watchpoint(2, 'weight_change_too_large', {
        settings: [{ name: 'abs_mean_update_ratio_gt', value: 0.1, enabled: true }],
        targets: { kinds: ['WEIGHT'], patterns: [], nodes: [] },
      }),
    ),
    watched(watchpoint(3, 'expression', { expression: 'abs_max > 1e3 and step > 100', log_only: true }), { hits: 41 }),
    watched(
      watchpoint(4, 'activation_range', { enabled: false, targets: { kinds: [], patterns: ['*ReLU*'], nodes: [] } }),
      { problem: 'No tensor has such a name.' },
    ),
  ],
}
export const RECOMMENDED = [
  watched(watchpoint(1, 'tensor_overflow'), { recommended: true, steps: 0, cost: 0.01 }),
  watched(
    watchpoint(2, 'gradient_vanishing', {
      settings: [{ name: 'abs_mean_lt', value: 1e-9, enabled: true }],
      targets: { kinds: ['GRADIENT'], patterns: [], nodes: [] },
    }),
    { recommended: true, steps: 0, cost: 0.03 },
  ),
]

const hit = (id: number, tensor: string, order: number, changes: object) => ({
  watchpoint: id,
  tensor: name(tensor),
  kind: 'ACTIVATION',
  order,
  measured: [],
  line: { file: 0, line: 42, function: 'CrossEntropy.construct' },
  passes_on: false,
  advice: 'tensor_overflow',
  statistics: null,
  ...changes,
})
export const HITS = {
  step: 812,
  replace: true,
  left_out: 0,
  hits: [
    hit(1, 'Default/loss/Mul-op4', 5, { passes_on: true, statistics: HEALTH[3] }),
    hit(1, 'Default/loss/Log-op3', 4, { statistics: HEALTH[2] }),
    hit(2, 'fc.weight', 1, {
      advice: 'weight_change_too_large',
      measured: [{ name: 'abs_mean_update_ratio_gt', set: 0.1, actual: 0.412, hit: true }],
      line: null,
    }),
  ],
}

const link = (
  full_name: string,
  type: string,
  role: string,
  output: object | undefined,
  inputs: (object | undefined)[] = [],
  line = 0,
) => ({
  tensor: name(full_name),
  type,
  role,
  output,
  inputs,
  line: { file: 0, line, function: 'CrossEntropy.construct' },
  attributes: {},
})
const history = Array.from({ length: 256 }, (_, at) => 4300 + 2 * at)
export const CAUSE = {
  step: 812,
  milliseconds: 38,
  verdict: 'log_of_zero',
  facts: { zeros: '1', count: '1000', tensor: 'Default/loss/Softmax-op2:0', from: 'Softmax', operator: 'Log' },
  advice: ['log_softmax', 'add_epsilon', 'lower_learning_rate'],
  ran_again: true,
  problem: '',
  propagators: 2,
  producer: link('Default/loss/Log-op3', 'Log', 'PRODUCER', HEALTH[2], [HEALTH[1]], 42),
  chain: [
    link('Default/fc/MatMul-op1', 'MatMul', 'FINITE', HEALTH[0]),
    link('Default/loss/Softmax-op2', 'Softmax', 'ABNORMAL', HEALTH[1], [], 38),
    link('Default/loss/Log-op3', 'Log', 'PRODUCER', HEALTH[2], [HEALTH[1]], 42),
    link('Default/loss/Mul-op4', 'Mul', 'PASSES_ON', HEALTH[3]),
    link('Default/loss/ReduceMean-op5', 'ReduceMean', 'LOSS', HEALTH[4]),
  ],
  history: {
    tensor: name('Default/loss/Softmax-op2'),
    statistic: 'abs_min',
    steps: history,
    values: history.map((step) => 10 ** (-4 - 40 * Math.max(0, (step - 4377) / 435) ** 2)),
    usual_low: 1e-6,
    usual_high: 1e-3,
    left_at: 4378,
    logarithmic: true,
  },
}
export const DIVERGENCE = {
  step: 812,
  first_mode: 'graph',
  second_mode: 'pynative',
  only_first: 1,
  only_second: 0,
  first: name('Default/loss/Softmax-op2'),
  bound: 1e-6,
  differences: [
    { tensor: name('Default/fc/MatMul-op1'), type: 'MatMul', order: 2, max_abs: 0, max_rel: 0, same: true, line: null },
    {
      tensor: name('Default/loss/Softmax-op2'),
      type: 'Softmax',
      order: 3,
      max_abs: 2.5e-5,
      max_rel: 1e-4,
      same: false,
      line: null,
    },
    {
      tensor: name('Default/loss/Mul-op4'),
      type: 'Mul',
      order: 5,
      max_abs: 'NaN',
      max_rel: 'NaN',
      same: false,
      line: null,
    },
  ],
}
