/** Messages of a session of a small network, as the dashboard passes them on. For tests only. */

const name = (full_name: string, slot = 0) => ({ full_name, slot, iteration: 0 })

export const ROW = {
  id: '3f9c2b7d51aa40e8', number: 12, run: '0d0c'.padEnd(32, '0'), run_name: 'lenet/adam', name: 'lenet/adam', host: 'box', pid: 4711, device: 'CPU', mode: 'graph', status: 'paused', step: 812,
  started: 1_795_227_000, seen: 1_795_227_900, connected: true, viewers: 1, controller: null, ended: null, message: '',
}

const node = (full_name: string, type: string, kind: string, line: number, inputs: string[] = []) => ({
  full_name, type, kind, outputs: [{ dtype: 'float32', shape: [100, 10] }], inputs: inputs.map((one) => name(one)), line: { file: 0, line, function: 'CrossEntropy.construct' }, attributes: { axis: '-1' },
})
export const PROGRAM = {
  digest: 'p1', files: ['/home/me/loss.py'],
  nodes: [
    node('fc.weight', 'Parameter', 'WEIGHT', 0), node('Default/fc/MatMul-op1', 'MatMul', 'ACTIVATION', 36, ['fc.weight']), node('Default/loss/Softmax-op2', 'Softmax', 'ACTIVATION', 38, ['Default/fc/MatMul-op1']),
    node('Default/loss/Log-op3', 'Log', 'ACTIVATION', 42, ['Default/loss/Softmax-op2']), node('Default/loss/Mul-op4', 'Mul', 'OTHER', 43, ['Default/loss/Log-op3']),
    node('Default/loss/ReduceMean-op5', 'ReduceMean', 'OTHER', 44, ['Default/loss/Mul-op4']), node('Gradients/Default/fc/MatMul-op9', 'MatMul', 'GRADIENT', 0),
  ],
}

export const STATE = {
  status: 'PAUSED', reason: 'hit', step: 812, epoch: 3, steps_per_epoch: 300, steps: 1000, mode: 'graph', within_step: false, node_number: 0, nodes: 7,
  stack: [{ file: 0, line: 42, function: 'CrossEntropy.construct' }, { file: 1, line: 118, function: 'main' }], loss: 'NaN', learning_rates: [{ name: 'learning_rate', value: 0.01, can_change: true }],
  steps_per_second: 31.5, lease: { left: 581, length: 600, held: false, at_end: 'continue' }, can_run_again: true, cannot_run_again: '', has_current: true, has_previous: true,
  kept_bytes: 2_400_000, files: ['/home/me/loss.py', '/home/me/train.py'],
}

export const statistics = (full_name: string, changes: object = {}) => ({
  tensor: name(full_name), dtype: 'float32', shape: [100, 10], count: 1000, min: -3.5, max: 4.25, mean: 0.1, std: 1, abs_mean: 0.8, zeros: 0, nans: 0, pos_infs: 0, neg_infs: 0, l2: 31,
  negative: 480, positive: 520, min_at: 173, max_at: 4, bad_at: -1, abs_min: 1e-4, ...changes,
})
export const HEALTH = [
  statistics('Default/fc/MatMul-op1'), statistics('Default/loss/Softmax-op2', { min: 0, max: 1, mean: 0.1, zeros: 1 }),
  statistics('Default/loss/Log-op3', { min: -90.5, max: 0, neg_infs: 1, bad_at: 173 }), statistics('Default/loss/Mul-op4', { nans: 1, max: 0 }),
  statistics('Default/loss/ReduceMean-op5', { shape: [], count: 1, nans: 1 }),
]
export const SOURCE = ['import numpy', ...Array.from({ length: 36 }, (_, at) => `# ${at + 2}`), '  p = self.softmax(logits)', '  onehot = self.onehot(labels)', '', '', '  logp = self.log(p)', '  nll = onehot * logp', '  return -nll.sum(1).mean()'].join('\n')

export const WHOLE = {
  type: 'session', session: ROW.id, row: ROW, hello: {}, state: STATE, program: { digest: 'p1', nodes: 7 }, graph: null, watching: null, hits: [], cause: null, divergence: null, log: [], tensors: [],
  viewers: 1, controller: null, you: 'b41f09aa', connected: true, ended: null,
}

export const REPLY = { type: 'reply', session: ROW.id, ok: true, problem: '', message: '', at: -1, statistics: [], blob: 0, recommended: [], text: '', tensor: null }
