import { expect, it } from 'vitest'

import { familyOf } from './opFamilies'

it.each([
  ['Conv2D', 'product'],
  ['Conv2DBackpropInput', 'product'],
  ['BatchMatMul', 'product'],
  ['LayerNormGrad', 'norm'],
  ['GeLU', 'activation'],
  ['SparseSoftmaxCrossEntropyWithLogits', 'activation'],
  ['Add', 'elementwise'],
  ['Reshape', 'shape'],
  ['ReduceMean', 'reduce'],
  ['AddN', 'reduce'],
  ['Adam', 'update'],
  ['ApplyMomentum', 'update'],
  ['UpdateState', 'order'],
  ['TupleGetItem', 'order'],
  ['Batch', 'other'],
  ['GeneratorDataset', 'other'],
  ['LogicalOr', 'elementwise'],
  ['Sin', 'elementwise'],
  ['Tensor', 'other'],
])('%s belongs to %s', (op, family) => {
  expect(familyOf(op)).toBe(family)
})
